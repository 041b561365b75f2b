import fc from 'fast-check'
import { detectors } from '../../../plugins/index.ts'
import { indexPlaces } from '../../../src/engine/rule/clause.ts'
import { compileRule } from '../../../src/engine/rule/compile.ts'
import { RuleSyntaxError } from '../../../src/engine/rule/rule-syntax-error.ts'
import type { ClauseSource, RuleSource } from '../../../src/engine/rule/types.ts'
import { pageInput } from './arbitrary-pages.ts'
import { locators, selectors } from './arbitrary-words.ts'
import { buildRule, type Case } from './compare.ts'

const LITERALS = [
  'abc',
  'bcd',
  'abcde',
  'cde',
  'ABC',
  'Bcd',
  'abc bcd',
  'zabc',
  'a&b',
  'a&bc',
  'éab',
  'bcd.js',
  'abcdeabc',
]
const WHOLE = [
  'abc',
  'ABC',
  'bcd',
  'abcde',
  'b',
  'abc bcd',
  'abc 1.2',
  '200',
  '1',
  'https://example.com/abc',
  'a&bc',
  'example.com',
]
const PARTS = ['b', 'abc', 'BCD', 'cde', 'e', '/abc', 'example', '?']
const NAMES = ['abc', 'ABC', 'bcd', 'abcde', 'abc*', 'abcd*', 'zabc']
const PATTERNS = [
  '^abc(\\d+)?',
  '^abcde?',
  '^abcd*',
  '^a?bcd',
  'b.d',
  '^(?:abc|bcd)$',
  '^abc|cde',
  '^abc 1\\.(\\d)',
  '^abc\\.',
  '^ABC+',
  '^https://example\\.com',
  '^wp-abc',
  '^abc.{2}',
]
const some = (items: readonly string[]) =>
  fc.oneof(fc.constantFrom(...items), fc.uniqueArray(fc.constantFrom(...items), { minLength: 1, maxLength: 3 }))
const paths = ['Abc', 'abc', 'Bcd', 'Abc.abc', 'Abc.name', 'Bcd.abc.abc', 'Abc.ABC.name']
const word = (place: string, words: fc.Arbitrary<unknown>) => words.map((given) => ({ [place]: given }))
const place = fc.oneof(
  ...['url', 'script', 'asset', 'frame', 'anchor'].map((key) => word(key, locators)),
  word('asset', locators),
  ...['title', 'comment', 'inline', 'style', 'robots', 'text', 'html', 'bundle', 'bundle', 'stylesheet'].map((key) =>
    word(key, some(LITERALS)),
  ),
  word('header', some(['server', 'x-abc', 'X-Abc*', 'x-abcde', 'location', 'link'])),
  word('cookie', some(NAMES)),
  word('meta', some([...NAMES, 'generator'])),
  word('link', some(['icon', 'abc', 'style*', 'Preload'])),
  word('status', fc.constantFrom(200, 404, [200, 404])),
  word('favicon', fc.constantFrom(-12, 34, '34')),
  word('dns', some(['a', 'cname', 'txt', 'txt _abc', 'TXT', 'ns'])),
  word('tls', some(['issuer', 'name'])),
  word('tag', some(['__abc', '__bcd', '__html', '__paused', 'google-tag:G'])),
  word('jsonld', some(paths)),
  word('size', fc.constantFrom('words', 'characters')),
  word('found', some(['abc', 'bcd', 'cde'])),
)
const tests = fc.oneof(
  { weight: 12, arbitrary: fc.constant({}) },
  { weight: 2, arbitrary: some(WHOLE).map((is) => ({ is })) },
  { weight: 3, arbitrary: some(PARTS).map((has) => ({ has })) },
  { weight: 2, arbitrary: locators.map((under) => ({ under })) },
  { weight: 3, arbitrary: fc.constantFrom(...PATTERNS).map((match) => ({ match })) },
  { weight: 1, arbitrary: fc.constantFrom('own', 'other').map((from) => ({ from })) },
  { weight: 1, arbitrary: fc.tuple(some(PARTS), fc.constantFrom(...PATTERNS)).map(([has, match]) => ({ has, match })) },
)
const attr = fc.constantFrom('href', 'SRC', 'class', 'content', 'data-abc').map((name) => ({ attr: name }))
const more = fc.oneof(
  { weight: 4, arbitrary: fc.constant({}) },
  { weight: 1, arbitrary: fc.constant({ case: 'exact' }) },
  { weight: 1, arbitrary: fc.constantFrom(2, 3, 10).map((atLeast) => ({ atLeast })) },
)
const leaf: fc.Arbitrary<ClauseSource> = fc
  .tuple(
    fc.oneof(
      { weight: 5, arbitrary: place },
      { weight: 2, arbitrary: word('element', selectors) },
      { weight: 1, arbitrary: fc.tuple(word('element', selectors), attr).map(([a, b]) => ({ ...a, ...b })) },
    ),
    tests,
    more,
  )
  .map(([words, test, rest]) => ({ ...words, ...test, ...rest }))

const clause = fc.letrec<{ clause: ClauseSource; list: ClauseSource[] }>((tie) => ({
  clause: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    { weight: 3, arbitrary: leaf },
    { weight: 1, arbitrary: tie('list').map((all) => ({ all })) },
    { weight: 1, arbitrary: tie('list').map((any) => ({ any })) },
    {
      weight: 1,
      arbitrary: fc.tuple(tie('list'), fc.nat()).map(([of, n]) => ({ of, atLeast: 1 + (n % (of.length + 1)) })),
    },
    { weight: 1, arbitrary: tie('clause').map((not) => ({ not })) },
  ),
  list: fc.array(tie('clause'), { minLength: 1, maxLength: 3 }),
})).clause
const weight = fc.constantFrom({}, { weight: 'strong' }, { weight: 'medium' }, { weight: 'weak' })
const detect = fc.array(
  fc.tuple(clause, weight).map(([inner, given]) => ({ ...inner, ...given })),
  { minLength: 1, maxLength: 3 },
)

const places = indexPlaces(detectors)

/** Whether the compiler accepts a rule. It rejects rules that could have points without a hit. */
function isCompilable(source: RuleSource): boolean {
  try {
    compileRule(source, places)
    return true
  } catch (error) {
    if (error instanceof RuleSyntaxError) return false
    throw error
  }
}

// With many literals at a place, the engine searches all of them in one pass.
const crowd = buildRule(
  ['comment', 'inline', 'style', 'robots', 'text', 'html', 'bundle', 'stylesheet'].map((key) => ({ [key]: LITERALS })),
  9,
)

/** Generates a few rules and a page over the same small vocabulary. */
export const arbitraryCase: fc.Arbitrary<Case> = fc.record({
  rules: fc
    .tuple(
      fc.array(
        detect.filter((clauses) => isCompilable(buildRule(clauses))),
        { minLength: 1, maxLength: 4 },
      ),
      fc.boolean(),
    )
    .map(([all, isCrowded]) => [...all.map(buildRule), ...(isCrowded ? [crowd] : [])]),
  input: pageInput,
  settled: fc.subarray(['abc', 'bcd', 'abcde']),
})
