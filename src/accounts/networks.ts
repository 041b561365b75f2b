/**
 * Lists the networks of a client, the widest first and the client's own address last. An IPv6 address, which stands for its /64,
 * is in a /56 and a /48: one customer of a provider often has all addresses of such a network. Other addresses are on their own.
 * @param address as `Visitor` has it
 */
export function listNetworks(address: string): readonly string[] {
  const [, a, b, c, d] = /^([\da-f]+):([\da-f]+):([\da-f]+):([\da-f]+)::\/64$/.exec(address) ?? []
  if (d === undefined) return [address]
  const subnet = Number.parseInt(d, 16) & 0xff00
  return [`${a}:${b}:${c}::/48`, `${a}:${b}:${c}:${subnet.toString(16)}::/56`, address]
}
