import type { ClauseSource, RuleSource } from '../../src/engine/rule/types.ts'

/** Builds a clause from an invented word. `word` is unique, `n` is a number for variety. */
type ClauseShape = (word: string, n: number) => ClauseSource

// Roughly in the proportions of the real rules.
const SHAPES: readonly ClauseShape[] = [
  (word) => ({ element: `#${word}-root` }),
  (word) => ({ element: `.${word}-widget, .${word}-frame > div` }),
  (word) => ({ element: `[data-${word}]`, weight: 'medium' }),
  (word) => ({ element: 'link[rel=stylesheet]', attr: 'href', has: `/${word}-theme.` }),
  (word) => ({ element: `script[id^=${word}]:not([async])` }),
  (word, n) => ({ script: [`cdn.${word}.com/v${n % 9}/loader.js`, `/${word}.min.js`] }),
  (word) => ({ script: `.${word}.io` }),
  (word) => ({ asset: [`${word}.net/static/`, `/${word}-content/`] }),
  (word) => ({ asset: `static.${word}.dev/lib*`, atLeast: 2, weight: 'medium' }),
  (word) => ({ meta: 'generator', match: `^${word}(?: v?([\\d.]+))?`, version: 1 }),
  (word) => ({ meta: 'generator', is: `${word} Studio` }),
  (word) => ({ meta: ['og:image', 'twitter:image'], under: `${word}.com/og*` }),
  (word) => ({ header: 'server', is: word }),
  (word) => ({ header: 'x-powered-by', has: word }),
  (word) => ({ header: `x-${word}-id` }),
  (word) => ({ cookie: [`${word}_session`, `_${word}*`] }),
  (word) => ({ url: [`.${word}.app`, `.${word}.site`] }),
  (word) => ({ dns: 'cname', under: `.${word}-dns.com`, weight: 'medium' }),
  (word) => ({ dns: 'txt', has: `${word}-verification=` }),
  (word) => ({ inline: [`window.${word} =`, `__${word}__`] }),
  (word) => ({ comment: `Made in ${word}` }),
  (word) => ({ title: `${word} starter` }),
  (word) => ({ link: 'preconnect', under: `fonts.${word}.com` }),
  (word) => ({ style: `--${word}-primary` }),
  (word) => ({ bundle: `${word}-runtime@`, match: `${word}-runtime@([\\d.]+)`, version: 1 }),
  (word) => ({ bundle: [`__${word}_state__`, `${word}.cloud/v1`] }),
  (word) => ({ stylesheet: `--${word}-radius` }),
  (word) => ({ all: [{ anchor: `.${word}.com`, from: 'other' }, { text: `powered by ${word}` }], weight: 'weak' }),
]
const CLAUSES = [3, 4, 4, 5]
const CONSONANTS = 'bcdfghjklmnprstvz'
const VOWELS = 'aeiou'

/**
 * Generates rules like the real ones, with invented words that do not occur on any page. They measure the cost of rules
 * without matches. The same seed gives the same rules.
 */
export function generateRules(count: number, seed: number): RuleSource[] {
  const random = createRandom(seed)
  return Array.from({ length: count }, (_, i) => syntheticRule(i, random))
}

function syntheticRule(i: number, random: (below: number) => number): RuleSource {
  // The number in the middle makes the word unique; `qx` makes sure that it is not a real word.
  const stem = `${inventWord(random)}qx${i.toString(36)}`
  const shapes = shuffle(SHAPES, random).slice(0, CLAUSES[random(CLAUSES.length)])
  return {
    kind: 'technology',
    slug: `synthetic-${i}`,
    name: `Synthetic ${stem}`,
    website: `https://${stem}.com`,
    category: 'analytics',
    detect: shapes.map((shape, n) => shape(`${stem}z${n}${inventWord(random)}`, i + n)),
    source: [`https://${stem}.com/docs`],
    verified: '2026-11-20',
  }
}

function inventWord(random: (below: number) => number): string {
  const syllable = (): string => CONSONANTS[random(CONSONANTS.length)] + VOWELS[random(VOWELS.length)]
  return syllable() + syllable() + syllable()
}

function shuffle<T>(items: readonly T[], random: (below: number) => number): T[] {
  const left = [...items]
  return items.map(() => left.splice(random(left.length), 1)[0])
}

/** mulberry32: a small generator with the same numbers on all platforms. */
function createRandom(seed: number): (below: number) => number {
  let state = seed >>> 0
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below
  }
}
