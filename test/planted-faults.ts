/** What is wrong, in which file, what stands there, what is put in its place. */
type Fault = readonly [name: string, file: string, find: string, replace: string]

const automaton = 'src/engine/automaton.ts'
const literals = 'src/engine/literal-index.ts'
const locator = 'src/engine/locator.ts'
const selectors = 'src/engine/selector-index.ts'
const matcher = 'src/engine/selector.ts'
const tests = 'src/engine/tests-index.ts'
const leafTest = 'src/engine/leaf-test.ts'
const place = 'src/engine/place-index.ts'
const hits = 'src/engine/hits.ts'
const score = 'src/engine/score.ts'
const compile = 'src/engine/compile.ts'

/** Faults that a look-up could have, and that no rule of ours need show. */
export const PLANTED_FAULTS: readonly Fault[] = [
  ['automaton: a literal that ends another is missed', automaton, 'ends[fall] ? fall : shorter[fall]', 'shorter[fall]'],
  ['automaton: a failed beginning forgets the suffix', automaton, 'suffix[child] = other', 'suffix[child] = 0'],
  ['automaton: capitals are no letters', automaton, 'if (byte >= 97 && byte <= 122)', 'if (byte > 97 && byte <= 122)'],
  ['automaton: the end of a text is not read', automaton, 'i < written; i++', 'i < written - 1; i++'],
  [
    'automaton: the beginning of a text is not read',
    automaton,
    'for (let i = 0, row = 0; i < written',
    'for (let i = 1, row = 0; i < written',
  ],
  [
    'automaton: one rule of those with a literal is told',
    automaton,
    '(this.#ends[end] ?? [])',
    '(this.#ends[end] ?? []).slice(0, 1)',
  ],
  ['literals: case matters when there are few', literals, "'\\\\$&'), 'i')", "'\\\\$&'), '')"],
  [
    'locators: the last segment is not looked at',
    locator,
    'locator.open ? segments.slice(0, -1) : segments',
    'segments.slice(0, -1)',
  ],
  [
    'locators: a segment need only begin so',
    locator,
    'if (!locator.open) {',
    'if (!locator.open && segments.length === 0) {',
  ],
  [
    'locators: .x.y is x.y as well',
    locator,
    'collectFrom(this.#hosts.exact.get(host), segments, 0, found)',
    'for (const map of [this.#hosts.exact, this.#hosts.below]) collectFrom(map.get(host), segments, 0, found)',
  ],
  [
    'locators: a star of another length',
    locator,
    'node.open.set(beginning.length, ofLength)',
    'node.open.set(beginning.length + 1, ofLength)',
  ],
  ['locators: a path is found at the front alone', locator, 'from < segments.length; from++', 'from < 1; from++'],
  ['locators: the root is any folder', locator, "if (url.path === '/')", "if (url.path.endsWith('/'))"],
  ['selectors: the last class is lost', selectors, 'i <= value.length; i++', 'i < value.length; i++'],
  ['selectors: ids and classes keep their case', selectors, 'lower(text.slice(from, to))', 'text.slice(from, to)'],
  [
    'selectors: a part of an attribute is the whole',
    selectors,
    'rarity: 3, into: rows.parts',
    'rarity: 3, into: rows.values',
  ],
  ['selectors: a child is any descendant', matcher, "from === 'child' ? this.fits(row, up, last - 1) : ", ''],
  ['selectors: what stands above is remembered wrong', matcher, 'known[up] !== 1 ? 2 : 1', 'known[up] !== 2 ? 2 : 1'],
  ['selectors: an exact :not is told by the other case', place, "strings ?? ':is(*)'", 'strings ?? part'],
  ['tests: `is` is not folded', tests, 'push(this.#is, lower(value), item)', 'push(this.#is, value, item)'],
  ['tests: a letter that may be missing is required', tests, "'?*+{'.includes(next)", "'+'.includes(next)"],
  [
    'tests: one side of a choice is required',
    tests,
    "match === undefined || match.includes('|')",
    'match === undefined',
  ],
  ['tests: an attribute is not trimmed', leafTest, 'text: text.trim(), at', 'text, at'],
  ['names: a star stands for nothing', place, 'beginnings.get(name.slice(0, length))', 'beginnings.get(name)'],
  ['names: a whole name hides a beginning', place, '[entry, ...begun]', '[entry]'],
  ['paths: steps on the way are not asked for', place, "if (word[i] === '.')", "if (word[i] === ':')"],
  ['hits: a value counts once for each word', hits, 'if (hits.keys.has(key)) return', ''],
  ['hits: a URL counts once for each element', hits, 'url?.href ?? found.at', 'found.at'],
  [
    'Kleene: a record that nobody asked for was seen',
    'plugins/dns.ts',
    'page.dns?.[word.toLowerCase()] !== undefined',
    'page.dns !== null',
  ],
  ['Kleene: headers were always seen', 'plugins/header.ts', 'page.headers !== null', 'page !== null'],
  ['Kleene: one seen word is enough', score, 'leaf.words.every(', 'leaf.words.some('],
  ['groups: one clause less negates', compile, 'parts.length - node.least + 1', 'parts.length - node.least'],
  ['page: entities stay', 'src/engine/tape.ts', 'decodeEntities: true', 'decodeEntities: false'],
  ['page: srcset keeps its descriptors', 'src/engine/page-urls.ts', '(?:^|,|\\s)\\s*', '(?:^|,)\\s*'],
]
