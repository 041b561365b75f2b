/** A rule of a robots.txt (RFC 9309): a path pattern, and whether it permits or forbids. */
interface RobotsRule {
  readonly isAllowed: boolean
  /** Parts between the wildcards `*`, normalized. */
  readonly parts: readonly string[]
  /** Whether the path must end with the last part. */
  readonly isAnchored: boolean
  /** Characters of the pattern: the longest one that matches decides. */
  readonly length: number
}

/**
 * Reads the rules of a robots.txt that apply to a crawler (RFC 9309): those of all groups that name it, or else those for `*`.
 * Anything is accepted; what is not a rule is ignored.
 * @param product the product token of the crawler, such as `Siteprint`
 */
export function parseRobots(text: string, product: string): readonly RobotsRule[] {
  const [own, general]: [RobotsRule[], RobotsRule[]] = [[], []]
  let [isOwn, isGeneral, isNamed, inRules] = [false, false, false, false]
  for (const line of text.replace(/^\ufeff/, '').split(/\r\n?|\n/)) {
    const colon = line.indexOf(':')
    if (colon < 0) continue
    const key = line.slice(0, colon).trim().toLowerCase()
    const value = line
      .slice(colon + 1)
      .split('#', 1)[0]
      .trim()
    if (key === 'user-agent') {
      if (inRules) [isOwn, isGeneral, inRules] = [false, false, false]
      if (value === '*') isGeneral = true
      else if (/^[\w-]*/.exec(value)?.[0].toLowerCase() === product.toLowerCase()) isOwn = isNamed = true
    } else if (key === 'allow' || key === 'disallow') {
      inRules = true
      if (value === '' || !(isOwn || isGeneral)) continue
      const rule = buildRule(value, key === 'allow')
      if (isOwn) own.push(rule)
      if (isGeneral) general.push(rule)
    }
  }
  return isNamed ? own : general
}

function buildRule(value: string, isAllowed: boolean): RobotsRule {
  const pattern = normalizePath(value)
  const isAnchored = pattern.endsWith('$')
  const parts = (isAnchored ? pattern.slice(0, -1) : pattern).split('*')
  return { isAllowed, parts, isAnchored, length: pattern.length }
}

/** Whether rules permit a URL. The longest pattern decides; of two equally long ones, the one that permits. */
export function permits(rules: readonly RobotsRule[], { pathname, search }: Pick<URL, 'pathname' | 'search'>): boolean {
  const path = normalizePath(pathname + search)
  let best: RobotsRule | null = null
  for (const rule of rules) {
    if (best !== null && (rule.length < best.length || (rule.length === best.length && !rule.isAllowed))) continue
    if (matchesPath(rule, path)) best = rule
  }
  return best?.isAllowed ?? true
}

/**
 * Finds each part as early as possible, which finds a match whenever there is one. The time grows with the length of pattern and path, and
 * not with the number of ways to match.
 */
function matchesPath({ parts, isAnchored }: RobotsRule, path: string): boolean {
  const [first] = parts
  if (!path.startsWith(first)) return false
  if (parts.length === 1) return !isAnchored || path.length === first.length
  let from = first.length
  for (const part of parts.slice(1, -1)) {
    const found = path.indexOf(part, from)
    if (found < 0) return false
    from = found + part.length
  }
  const last = parts[parts.length - 1]
  return isAnchored ? path.length - last.length >= from && path.endsWith(last) : path.indexOf(last, from) >= 0
}

/** Brings percent-encodings into one form: other characters than ASCII are encoded, and unreserved ones are not. */
function normalizePath(text: string): string {
  return text
    .replace(/[\u0080-\uffff]+/g, (part) => encodeBytes(Buffer.from(part)))
    .replace(/%[\da-f]{2}/gi, (encoded) => {
      const character = String.fromCharCode(Number.parseInt(encoded.slice(1), 16))
      return /[\w.~-]/.test(character) ? character : encoded.toUpperCase()
    })
}

function encodeBytes(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`).join('')
}
