import { type AST, RegExpParser } from '@eslint-community/regexpp'

/** Maximum number of alternatives of a word that is made from a pattern. */
const MAX_ALTERNATIVES = 16
/** Characters of a class that are written out as alternatives. */
const MAX_CLASS_CHARACTERS = 4
/** From this length on, fewer alternatives are better than longer ones. */
const LONG_LITERAL = 12

const parser = new RegExpParser({ ecmaVersion: 2025 })

/** What every text contains that a part of a pattern matches. */
interface RequiredTexts {
  /** All texts that the part matches; null if there are too many. */
  readonly exact: readonly string[] | null
  /** Texts of which every match contains at least one; null if none is known. */
  readonly required: readonly string[] | null
}

const ANYTHING: RequiredTexts = { exact: null, required: null }
const NOTHING: RequiredTexts = { exact: [''], required: null }

/**
 * Finds texts in lower case of which every match of a pattern that ignores case contains at least one: `acme-widget` for
 * `\bacme-widget[\d.]*`, `acme.js` and `acme.css` for `acme\.(?:js|css)`.
 * @returns null if there are none of at least `least` characters
 * @throws SyntaxError for an invalid pattern
 */
export function findRequiredLiterals(pattern: string, least: number): readonly string[] | null {
  const { required } = ofAlternatives(parser.parsePattern(pattern).alternatives)
  if (required === null || required.some((one) => one.length < least)) return null
  // A literal that contains another one is found by that one.
  return required.filter((one) => !required.some((other) => other !== one && one.includes(other)))
}

function ofAlternatives(alternatives: readonly AST.Alternative[]): RequiredTexts {
  const all = alternatives.map(({ elements }) => ofSequence(elements))
  if (all.length === 1) return all[0]
  const union = (lists: readonly (readonly string[] | null)[]): readonly string[] | null => {
    if (lists.some((list) => list === null)) return null
    const texts = [...new Set(lists.flatMap((list) => list ?? []))]
    return texts.length <= MAX_ALTERNATIVES ? texts : null
  }
  return { exact: union(all.map(({ exact }) => exact)), required: union(all.map(({ required }) => required)) }
}

function ofSequence(elements: readonly AST.Element[]): RequiredTexts {
  let best: readonly string[] | null = null
  let run: readonly string[] = ['']
  let isExact = true
  for (const { exact, required } of elements.map(ofElement)) {
    if (exact !== null && run.length * exact.length <= MAX_ALTERNATIVES) {
      run = run.flatMap((before) => exact.map((after) => before + after))
      continue
    }
    isExact = false
    best = chooseBetter(chooseBetter(best, run), required)
    run = exact ?? ['']
  }
  const required = chooseBetter(best, run)
  return { exact: isExact ? [...new Set(run)] : null, required }
}

function ofElement(element: AST.Element): RequiredTexts {
  switch (element.type) {
    case 'Character':
      return ofCharacters([element.value])
    case 'CharacterClass':
      return ofClass(element)
    case 'Group':
    case 'CapturingGroup':
      return ofAlternatives(element.alternatives)
    case 'Quantifier':
      return ofQuantifier(element)
    case 'Assertion':
      return NOTHING
    default:
      return ANYTHING
  }
}

function ofQuantifier({ min, max, element }: AST.Quantifier): RequiredTexts {
  if (max === 0) return NOTHING
  const inner = ofElement(element)
  if (min === 1 && max === 1) return inner
  if (min > 0) return { exact: null, required: chooseBetter(inner.exact, inner.required) }
  if (max === 1 && inner.exact !== null) return { exact: ['', ...inner.exact], required: null }
  return ANYTHING
}

function ofClass({ negate, elements }: AST.CharacterClass): RequiredTexts {
  if (negate || elements.length > MAX_CLASS_CHARACTERS) return ANYTHING
  const characters = elements.flatMap((one) => (one.type === 'Character' ? one.value : []))
  return characters.length === elements.length ? ofCharacters(characters) : ANYTHING
}

/**
 * Letters outside of ASCII are left out, because the index compares them with case and a pattern does not; so are line ends and other
 * control characters, which a word should not have.
 */
function ofCharacters(codes: readonly number[]): RequiredTexts {
  const texts = [...new Set(codes.map((code) => String.fromCodePoint(code)))]
  if (texts.some((text) => text < ' ' || (text > '\x7f' && text.toLowerCase() !== text.toUpperCase()))) return ANYTHING
  const exact = [...new Set(texts.map((text) => text.toLowerCase()))]
  return { exact, required: exact }
}

/** Of two lists of alternatives, chooses the one whose shortest text is longer; of long ones the shorter list. */
function chooseBetter(a: readonly string[] | null, b: readonly string[] | null): readonly string[] | null {
  if (a === null || b === null) return a ?? b
  return rate(b) > rate(a) ? b : a
}

function rate(texts: readonly string[]): number {
  const shortest = Math.min(...texts.map(({ length }) => length))
  return Math.min(shortest, LONG_LITERAL) * MAX_ALTERNATIVES - texts.length + Math.min(shortest, 99) / 100
}
