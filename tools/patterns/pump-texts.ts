import { type AST, parseRegExpLiteral, visitRegExpAST } from '@eslint-community/regexpp'

/** A text that can be made as long as one likes: `head`, `pump` over and over, `tail`. */
export interface PumpText {
  readonly head: string
  readonly pump: string
  readonly tail: string
}

/** Counted repeats from here on can be pumped. */
const MANY_REPEATS = 10
/** Tails that no pattern of ours expects, that end a line, and none. */
const TAILS = ['\u0001', '\n', '']
const MAX_ALPHABET = 12
/** Characters that a repeat does not take, each as a tail. */
const MAX_ENDS = 3

/**
 * Texts made from the structure of a pattern: what leads to a repeat, then what the repeat takes, very often, then what does
 * not fit. Adjacent repeats that take the same character, repeats in repeats, and a start that is tried at every place of a
 * long run all show on one of them.
 */
export function pumpTextsOf(pattern: string, flags: string): PumpText[] {
  const ast = parseRegExpLiteral(new RegExp(pattern, flags))
  const alphabet = alphabetOf(ast)
  const repeats: AST.Quantifier[] = []
  visitRegExpAST(ast, {
    onQuantifierEnter: (repeat) => {
      if (repeat.max >= MANY_REPEATS) repeats.push(repeat)
    },
  })
  const whole = sampleOf(ast.pattern.alternatives[0].elements)
  const texts = [
    { head: '', pump: whole, tail: '\u0001' },
    ...alphabet.map((pump) => ({ head: '', pump, tail: '\u0001' })),
  ]
  for (const repeat of repeats) {
    const head = leadTo(repeat)
    const inside = new RegExp(`^(?:${repeat.element.raw})$`, flags.replace(/[gy]/g, ''))
    const pumps = new Set([sampleOf([repeat.element]), ...alphabet.filter((character) => inside.test(character))])
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

/** The text at a length, in UTF-16 code units. */
export function pumpTo({ head, pump, tail }: PumpText, length: number): string {
  return head + pump.repeat(Math.max(1, Math.floor((length - head.length - tail.length) / pump.length))) + tail
}

/** A character of each kind that the pattern distinguishes. */
function alphabetOf(ast: AST.RegExpLiteral): string[] {
  const characters = new Set<string>()
  visitRegExpAST(ast, {
    onCharacterEnter: ({ value }) => characters.add(String.fromCodePoint(value)),
    onCharacterSetEnter: (set) => characters.add(sampleOfSet(set)),
  })
  return [...characters].slice(0, MAX_ALPHABET)
}

/** What stands before a repeat on one way to it. */
function leadTo(node: AST.Node): string {
  const { parent } = node
  if (parent === null || parent === undefined || parent.type === 'Pattern' || parent.type === 'RegExpLiteral') return ''
  if (parent.type !== 'Alternative') return leadTo(parent)
  const at = parent.elements.indexOf(node as AST.Element)
  return leadTo(parent) + sampleOf(parent.elements.slice(0, at))
}

/** A short text that the elements match, look-around aside. */
function sampleOf(elements: readonly AST.Element[]): string {
  return elements.map(sampleOfElement).join('')
}

function sampleOfElement(element: AST.Element): string {
  switch (element.type) {
    case 'Character':
      return String.fromCodePoint(element.value)
    case 'CharacterSet':
      return sampleOfSet(element)
    case 'CharacterClass':
      return sampleOfClass(element)
    case 'Quantifier':
      return sampleOfElement(element.element).repeat(Math.max(1, element.min))
    case 'Group':
    case 'CapturingGroup':
      return sampleOf(element.alternatives[0].elements)
    default:
      return ''
  }
}

function sampleOfSet(set: AST.CharacterSet): string {
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

/** A class that negates takes nearly every character: one that it does not name. */
function sampleOfClass(node: AST.CharacterClass): string {
  const test = new RegExp(`^${node.raw}$`, /\\[pu]\{/i.test(node.raw) ? 'u' : '')
  const named = node.elements.flatMap((element) => {
    if (element.type === 'Character') return String.fromCodePoint(element.value)
    if (element.type === 'CharacterClassRange') return String.fromCodePoint(element.min.value)
    return element.type === 'CharacterSet' ? sampleOfSet(element) : []
  })
  return [...named, 'a', '0', ' ', '\u4e00'].find((character) => test.test(character)) ?? ''
}
