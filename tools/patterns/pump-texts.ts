import { type AST, parseRegExpLiteral, visitRegExpAST } from '@eslint-community/regexpp'

/** A text of any length: `head`, many copies of `pump`, then `tail`. */
export interface PumpText {
  readonly head: string
  readonly pump: string
  readonly tail: string
}

/** Repeats with at least this maximum are pumped. */
const MANY_REPEATS = 10
/** A character that none of our patterns expects, the end of a line, and no tail. */
const TAILS = ['\u0001', '\n', '']
const MAX_ALPHABET = 12
/** Maximum number of tails from characters that a repeat does not match. */
const MAX_ENDS = 3

/**
 * Builds texts from the structure of a pattern: text that leads to a repeat, many copies of what the repeat matches, then a
 * mismatch. Adjacent repeats of the same character, nested repeats, and a start that is tried at every position of a long
 * run are all slow on one of these texts.
 */
export function buildPumpTexts(pattern: string, flags: string): PumpText[] {
  const ast = parseRegExpLiteral(new RegExp(pattern, flags))
  const alphabet = findAlphabet(ast)
  const repeats: AST.Quantifier[] = []
  visitRegExpAST(ast, {
    onQuantifierEnter: (repeat) => {
      if (repeat.max >= MANY_REPEATS) repeats.push(repeat)
    },
  })
  const whole = sampleElements(ast.pattern.alternatives[0].elements)
  const texts = [
    { head: '', pump: whole, tail: '\u0001' },
    ...alphabet.map((pump) => ({ head: '', pump, tail: '\u0001' })),
  ]
  for (const repeat of repeats) {
    const head = buildLead(repeat)
    const inside = new RegExp(`^(?:${repeat.element.raw})$`, flags.replace(/[gy]/g, ''))
    const pumps = new Set([sampleElements([repeat.element]), ...alphabet.filter((character) => inside.test(character))])
    const ends = [...TAILS, ...alphabet.filter((character) => !inside.test(character)).slice(0, MAX_ENDS)]
    for (const pump of pumps) {
      for (const tail of ends) texts.push({ head, pump, tail })
      texts.push({ head: '', pump, tail: '\u0001' }, { head: '', pump: head + pump, tail: '\u0001' })
      texts.push({ head, pump, tail: head })
    }
    texts.push({ head: '', pump: head, tail: '\u0001' })
  }
  const unique = new Map(texts.filter(({ pump }) => pump !== '').map((text) => [JSON.stringify(text), text]))
  return [...unique.values()]
}

/** Returns the text with about the given length, in UTF-16 code units. */
export function pumpTo({ head, pump, tail }: PumpText, length: number): string {
  return head + pump.repeat(Math.max(1, Math.floor((length - head.length - tail.length) / pump.length))) + tail
}

/** Finds a character of each kind that the pattern distinguishes. */
function findAlphabet(ast: AST.RegExpLiteral): string[] {
  const characters = new Set<string>()
  visitRegExpAST(ast, {
    onCharacterEnter: ({ value }) => characters.add(String.fromCodePoint(value)),
    onCharacterSetEnter: (set) => characters.add(sampleSet(set)),
  })
  return [...characters].slice(0, MAX_ALPHABET)
}

/** Builds a text that leads to a repeat. */
function buildLead(node: AST.Node): string {
  const { parent } = node
  if (parent === null || parent === undefined || parent.type === 'Pattern' || parent.type === 'RegExpLiteral') return ''
  if (parent.type !== 'Alternative') return buildLead(parent)
  const at = parent.elements.indexOf(node as AST.Element)
  return buildLead(parent) + sampleElements(parent.elements.slice(0, at))
}

/** Builds a short text that the elements match. Lookarounds are ignored. */
function sampleElements(elements: readonly AST.Element[]): string {
  return elements.map(sampleElement).join('')
}

function sampleElement(element: AST.Element): string {
  switch (element.type) {
    case 'Character':
      return String.fromCodePoint(element.value)
    case 'CharacterSet':
      return sampleSet(element)
    case 'CharacterClass':
      return sampleClass(element)
    case 'Quantifier':
      return sampleElement(element.element).repeat(Math.max(1, element.min))
    case 'Group':
    case 'CapturingGroup':
      return sampleElements(element.alternatives[0].elements)
    default:
      return ''
  }
}

function sampleSet(set: AST.CharacterSet): string {
  switch (set.kind) {
    case 'space':
      return set.negate ? 'a' : ' '
    case 'digit':
      return set.negate ? 'a' : '0'
    case 'word':
      return set.negate ? ' ' : 'a'
    case 'property':
      return set.negate ? ' ' : '\u4e00'
    default:
      return 'a'
  }
}

/** Picks a character of a class. A negated class matches nearly every character that it does not name. */
function sampleClass(node: AST.CharacterClass): string {
  const test = new RegExp(`^${node.raw}$`, /\\[pu]\{/i.test(node.raw) ? 'u' : '')
  const named = node.elements.flatMap((element) => {
    if (element.type === 'Character') return String.fromCodePoint(element.value)
    if (element.type === 'CharacterClassRange') return String.fromCodePoint(element.min.value)
    return element.type === 'CharacterSet' ? sampleSet(element) : []
  })
  return [...named, 'a', '0', ' ', '\u4e00'].find((character) => test.test(character)) ?? ''
}
