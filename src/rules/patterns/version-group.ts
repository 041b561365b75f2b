/** Texts that are not versions. A group that matches one of them also captures the words after a product's name. */
const NOT_VERSIONS = ['anything', 'press', 'a b c']
/** The content of a group that reads only digits, dots and hyphens, and therefore none of `NOT_VERSIONS`. */
const NUMERIC = /^(?:\\[d.]|[\d?:()*+{},|-]|\[(?:\\[d.]|[\d.-])*\])*$/

/** A capture group of a pattern. */
interface CaptureGroup {
  /** The group as written. */
  readonly raw: string
  /** What is inside its parentheses, without its name. */
  readonly content: string
}

/** Lists the capture groups of a valid pattern without flags, in the order of their numbers. */
export function listGroups(pattern: string): readonly CaptureGroup[] {
  const groups: CaptureGroup[] = []
  /** The groups that are open: the number of a capture group, or null, and where its content begins. */
  const open: { readonly number: number | null; readonly start: number; readonly from: number }[] = []
  let count = 0
  let inClass = false
  for (let i = 0; i < pattern.length; i++) {
    const char = pattern[i]
    if (char === '\\') i++
    else if (inClass) inClass = char !== ']'
    else if (char === '[') inClass = true
    else if (char === '(') {
      const [, name = ''] = /^\((\?<[^=!>][^>]*>)/.exec(pattern.slice(i)) ?? []
      const captures = pattern[i + 1] !== '?' || name !== ''
      open.push({ number: captures ? count++ : null, start: i, from: i + 1 + name.length })
    } else if (char === ')') {
      const group = open.pop()
      if (group === undefined || group.number === null) continue
      groups[group.number] = { raw: pattern.slice(group.start, i + 1), content: pattern.slice(group.from, i) }
    }
  }
  return groups
}

/** Whether a capture group matches texts that are not versions. */
export function isGreedy({ content }: CaptureGroup): boolean {
  if (NUMERIC.test(content) || /\\[1-9k]/.test(content)) return false
  const whole = new RegExp(`^(?:${content})$`, 'i')
  return NOT_VERSIONS.some((text) => whole.test(text))
}
