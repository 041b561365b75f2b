/**
 * Reads an address as numbers of 32 bits: one for IPv4, and the upper two of IPv6. An IPv4 address that is written as IPv6 is
 * one of IPv4. null if the text is not an address. One pass over the characters without a regular expression, because a scan of an
 * archive looks up millions of addresses.
 */
export function parseIp(text: string): readonly number[] | null {
  const four = readFour(text, 0, text.length)
  return four === null ? readSix(text) : [four]
}

const ZERO = 48
const DOT = 46
const COLON = 58
const LOWER_A = 97
const LOWER_F = 102
const GROUPS = 8
const MAX_DIGITS = 4
/** The scope of a link-local address: `fe80::1%eth0`. */
const ZONE = /^%[\dA-Za-z.:-]+$/

/** Reads four numbers up to 255, without leading zeros. null if this part of the text is not an address of IPv4. */
function readFour(text: string, start: number, end: number): number | null {
  let [sum, byte, digits, dots] = [0, 0, 0, 0]
  for (let i = start; i < end; i++) {
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

/** The groups of the address that is being read. */
const groups = new Uint16Array(GROUPS)

function readSix(text: string): readonly number[] | null {
  if (!readGroups(text)) return null
  // Indexes instead of a destructuring, whose iterator doubles the time of a lookup.
  const upper = groups[0] * 0x10000 + groups[1]
  const lower = groups[2] * 0x10000 + groups[3]
  if (groups[5] === 0xffff && upper === 0 && lower === 0 && groups[4] === 0) return [groups[6] * 0x10000 + groups[7]]
  return [upper, lower]
}

/** Reads the eight groups of an address into `groups`. false if the text is not an address of IPv6. */
function readGroups(text: string): boolean {
  const zone = text.indexOf('%')
  if (zone !== -1 && !ZONE.test(text.slice(zone))) return false
  const end = zone === -1 ? text.length : zone
  let gap = text.startsWith('::') ? 0 : -1
  let [count, group, digits] = [0, 0, 0]
  for (let i = gap === 0 ? 2 : 0; i < end; i++) {
    const code = text.charCodeAt(i)
    const digit = readDigit(code)
    if (digit !== -1) {
      if (++digits > MAX_DIGITS) return false
      group = group * 16 + digit
    } else if (code === DOT) {
      const four = readFour(text, i - digits, end)
      if (four === null || count > GROUPS - 2) return false
      groups[count++] = four >>> 16
      group = four & 0xffff
      break
    } else if (code !== COLON || count === GROUPS) return false
    else if (digits > 0) {
      groups[count++] = group
      group = 0
      digits = 0
    } else if (gap === -1 && count > 0) gap = count
    else return false
  }
  if (digits > 0) groups[count++] = group
  else if (gap !== count) return false
  return gap === -1 ? count === GROUPS : count < GROUPS && fillGap(gap, count)
}

function readDigit(code: number): number {
  if (code >= ZERO && code <= ZERO + 9) return code - ZERO
  const letter = code | 0x20
  return letter >= LOWER_A && letter <= LOWER_F ? letter - LOWER_A + 10 : -1
}

/** Moves the groups behind `::` to the end. */
function fillGap(gap: number, count: number): true {
  groups.copyWithin(GROUPS - (count - gap), gap, count)
  groups.fill(0, gap, GROUPS - (count - gap))
  return true
}
