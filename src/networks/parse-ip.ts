import { isIP } from 'node:net'

const IPV4_IN_IPV6 = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i

/**
 * Reads an address as numbers of 32 bits: one for IPv4, and the upper two of IPv6. An IPv4 address that is written as IPv6 is
 * one of IPv4. null if the text is not an address.
 */
export function parseIp(text: string): readonly number[] | null {
  const four = readFour(text)
  if (four !== null) return [four]
  if (isIP(text) !== 6) return null
  const within = readFour(IPV4_IN_IPV6.exec(text)?.[1] ?? '')
  if (within !== null) return [within]
  const [head, tail] = text.split('%', 1)[0].split('::')
  const groups = readGroups(head)
  const after = tail === undefined ? [] : readGroups(tail)
  while (groups.length + after.length < 8) groups.push(0)
  const all = [...groups, ...after]
  return [all[0] * 0x10000 + all[1], all[2] * 0x10000 + all[3]]
}

const ZERO = 48
const DOT = 46

/** Reads four numbers up to 255, without leading zeros, in one pass. null if the text is not an address of IPv4. */
function readFour(text: string): number | null {
  let [sum, byte, digits, dots] = [0, 0, 0, 0]
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code === DOT && digits > 0) {
      sum = sum * 256 + byte
      byte = 0
      digits = 0
      dots++
      continue
    }
    const digit = code - ZERO
    if (digit < 0 || digit > 9 || (digits > 0 && byte === 0)) return null
    byte = byte * 10 + digit
    digits++
    if (byte > 255) return null
  }
  return dots === 3 && digits > 0 ? sum * 256 + byte : null
}

function readGroups(text: string): number[] {
  if (text === '') return []
  return text.split(':').flatMap((group) => {
    const number = readFour(group)
    return number === null ? [Number.parseInt(group, 16)] : [number >>> 16, number & 0xffff]
  })
}
