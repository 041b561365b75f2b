import net, { type AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { openDial } from '../../src/fetch/connector.ts'

// IANA TLS cipher suites with finite-field Diffie-Hellman (TLS_DHE_*): the server chooses the group, of up to 10,000 bits.
const DHE = new Set([
  0x16, 0x32, 0x33, 0x38, 0x39, 0x40, 0x44, 0x45, 0x67, 0x6a, 0x6b, 0x87, 0x88, 0x9e, 0x9f, 0xa2, 0xa3, 0xaa, 0xab,
  0xbd, 0xbe, 0xc3, 0xc4, 0xc052, 0xc053, 0xc056, 0xc057, 0xc07c, 0xc07d, 0xc09e, 0xc09f, 0xc0a2, 0xc0a3, 0xccaa,
])

/** Reads the cipher suites of a ClientHello that fits in one record (RFC 5246, 7.4.1.2). */
function readSuites(hello: Buffer): number[] {
  const session = 5 + 4 + 2 + 32
  const start = session + 1 + hello[session]
  return Array.from({ length: hello.readUInt16BE(start) / 2 }, (_, i) => hello.readUInt16BE(start + 2 + 2 * i))
}

test('no cipher is offered for which the server chooses the cost', async () => {
  const server = net.createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const hello = new Promise<Buffer>((resolve) =>
    server.once('connection', (socket) =>
      socket.once('data', (data) => {
        resolve(data)
        socket.destroy()
      }),
    ),
  )
  const port = String((server.address() as AddressInfo).port)
  openDial()({ protocol: 'https:', hostname: '127.0.0.1', port, servername: 'a.example.org' }, () => {})
  const suites = readSuites(await hello)
  await new Promise((resolve) => server.close(resolve))
  expect(suites.filter((suite) => DHE.has(suite))).toEqual([])
  expect(suites).toEqual(expect.arrayContaining([0x1301, 0xc02f, 0xc02b])) // TLS 1.3; ECDHE with RSA and ECDSA
})
