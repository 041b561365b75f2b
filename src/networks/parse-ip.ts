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
  const quick = readUpperSix(text)
  if (quick !== null) return quick
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
const COLON = 58
/** Groups of 16 bits of IPv6, and those that are read. */
const GROUPS = 8
const READ_GROUPS = 4

/**
 * Reads the upper half of an address of IPv6 in one pass, if it is written out or ends in the `::`. null if the text needs a closer
 * look, as `::ffff:192.0.2.1` does.
 */
function readUpperSix(text: string): readonly number[] | null {
  let [high, low, group, count] = [0, 0, 0, 0]
  let i = 0
  for (; i < text.length && count < READ_GROUPS; i++) {
    const code = text.charCodeAt(i)
    if (code === COLON) {
      high = high * 0x10000 + (low >>> 16)
      low = (low & 0xffff) * 0x10000 + group
      group = 0
      count++
      if (text.charCodeAt(i + 1) === COLON) break
    } else if (code === DOT) return null
    // The lower bits of a letter are 1 to 6, whatever its case.
    else group = group * 16 + (code > COLON ? (code & 7) + 9 : code - ZERO)
  }
  if (count === READ_GROUPS) return [high, low]
  const missing = READ_GROUPS - count
  let after = 1
  for (let k = i + 2; k < text.length; k++) {
    const code = text.charCodeAt(k)
    if (code === DOT) return null
    if (code === COLON) after++
  }
  if (after > GROUPS - READ_GROUPS) return null
  for (let k = 0; k < missing; k++) {
    high = high * 0x10000 + (low >>> 16)
    low = (low & 0xffff) * 0x10000
  }
  return [high, low]
}

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
