import { type AST, RegExpParser, visitRegExpAST } from '@eslint-community/regexpp'

/** Lists regular expressions that differ from one in an anchor, a quantifier, a set, an alternative or the case of letters. */
export function mutatePattern(pattern: string, flags: string): string[] {
  const parser = new RegExpParser({ ecmaVersion: 2024 })
  const parsed = parser.parsePattern(pattern, 0, pattern.length, {
    unicode: flags.includes('u'),
    unicodeSets: flags.includes('v'),
  })
  const found: string[] = []
  const replace = ({ start, end }: AST.NodeBase, text: string): void => {
    found.push(pattern.slice(0, start) + text + pattern.slice(end))
  }
  visitRegExpAST(parsed, {
    onAssertionEnter: (node) => replace(node, ''),
    onQuantifierEnter: (node) => replace(node, node.element.raw),
    onCharacterClassEnter: (node) => replace(node, node.negate ? `[${node.raw.slice(2)}` : `[^${node.raw.slice(1)}`),
    onAlternativeEnter: (node) => {
      const { alternatives } = node.parent
      const at = alternatives.indexOf(node)
      if (alternatives.length > 1)
        replace({ ...node, ...(at === 0 ? { end: node.end + 1 } : { start: node.start - 1 }) }, '')
    },
  })
  const otherCase = flags.includes('i') ? flags.replace('i', '') : `${flags}i`
  const texts = found.filter((one) => one !== '' && isValid(one, flags)).map((one) => `/${one}/${flags}`)
  return [...new Set([...texts, ...(/[a-z]/i.test(pattern) ? [`/${pattern}/${otherCase}`] : [])])]
}

function isValid(pattern: string, flags: string): boolean {
  try {
    return new RegExp(pattern, flags) !== undefined
  } catch {
    return false
  }
}
