import { RegExpParser, visitRegExpAST } from '@eslint-community/regexpp'

/** Texts that are not versions. A group that matches one of them also captures the words after a product's name. */
const NOT_VERSIONS = ['anything', 'press', 'a b c']

/** Returns a capture group of a valid pattern as written, if it matches texts that are not versions; else null. */
export function findGreedyGroup(pattern: string, number: number): string | null {
  const groups: string[] = []
  const contents: string[] = []
  visitRegExpAST(new RegExpParser().parsePattern(pattern), {
    onCapturingGroupEnter({ raw, alternatives }) {
      groups.push(raw)
      contents.push(alternatives.map((one) => one.raw).join('|'))
    },
  })
  const content = contents[number - 1]
  if (content === undefined || /\\[1-9k]/.test(content)) return null
  const whole = new RegExp(`^(?:${content})$`, 'i')
  return NOT_VERSIONS.some((text) => whole.test(text)) ? groups[number - 1] : null
}
