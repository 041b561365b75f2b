/** A name, the file, the source text to replace, and its replacement. */
type Fault = readonly [name: string, file: string, find: string, replace: string]

const automaton = 'src/engine/text/automaton.ts'
const table = 'src/engine/text/automaton-table.ts'
const literals = 'src/engine/text/literal-index.ts'
const locator = 'src/engine/lookup/locator-index.ts'
const sparse = 'src/engine/text/sparse-map.ts'
const selectors = 'src/engine/lookup/selector-index.ts'
const matcher = 'src/engine/lookup/selector-matcher.ts'
const tests = 'src/engine/lookup/tests-index.ts'
const required = 'src/engine/lookup/required-part.ts'
const beginnings = 'src/engine/text/beginnings.ts'
const leafTest = 'src/engine/lookup/leaf-test.ts'
const place = 'src/engine/lookup/place-index.ts'
const hits = 'src/engine/verdict/hits.ts'
const score = 'src/engine/verdict/score.ts'
const decoder = 'src/engine/page/entity-decoder.ts'
const quick = 'src/engine/page/quick-tokenizer.ts'
const compile = 'src/engine/rule/compile.ts'
const logic = 'src/engine/rule/logic.ts'

/** Errors that a lookup could have without any built-in rule showing them. */
export const PLANTED_FAULTS: readonly Fault[] = [
  [
    'automaton: a literal that ends another is missed',
    table,
    'ends[fall].length > 0 ? fall : shorter[fall]',
    'shorter[fall]',
  ],
  ['automaton: a failed beginning forgets the suffix', table, 'suffix[child] = other', 'suffix[child] = 0'],
  ['automaton: capitals are not letters', table, 'if (byte >= 97 && byte <= 122)', 'if (byte > 97 && byte <= 122)'],
  ['automaton: the end of a text is not read', automaton, 'l < length; l++', 'l < length - 1; l++'],
  [
    'automaton: the beginning of a text is not read',
    automaton,
    'let l = 3 * part + end; l',
    'let l = 3 * part + end + 1; l',
  ],
  ['automaton: the parts of a text do not overlap', automaton, '? part + overlap : 0', '? part : 0'],
  ['automaton: a part of a text is not read', automaton, 'k = 2 * part', 'k = 3 * part'],
  ['automaton: bytes of one class are equal', automaton, 'if (FOLDED[text[at]] !== bytes[i]) return false', ''],
  ['automaton: characters of one class are equal', automaton, ', end)) === literal.text', ', end)).length === end'],
  [
    'automaton: only one rule of a literal is reported',
    automaton,
    'of literal.items)',
    'of literal.items.slice(0, 1))',
  ],
  [
    'literals: case matters when there are few',
    literals,
    "joinAlternatives(literals), 'i')",
    "joinAlternatives(literals), '')",
  ],
  [
    'locators: the last segment is not compared',
    locator,
    'locator.open ? segments.pop() : undefined',
    'locator.open ? segments.pop() : (segments.pop(), undefined)',
  ],
  [
    'locators: a whole segment is a beginning',
    locator,
    'if (beginning === undefined) node.items.push(item)',
    "if (beginning === undefined) node.open.add('', item)",
  ],
  [
    'locators: .x.y also matches x.y',
    locator,
    'const nodes = [this.#hosts.exact.get(host)]',
    'const nodes = [this.#hosts.exact.get(host), this.#hosts.below.get(host)]',
  ],
  [
    'locators: the beginning before a star has the wrong length',
    beginnings,
    'text.startsWith(letters, from)',
    'text.startsWith(letters.slice(0, -1), from)',
  ],
  ['locators: a path is found only at the start', locator, "slash = path.indexOf('/', slash + 1)", 'slash = -1'],
  ['locators: the root is any folder', locator, "if (path === '/')", "if (path.endsWith('/'))"],
  [
    'selectors: a class is found only at the start',
    selectors,
    'append(rows.parts[position], value, row)',
    'append(rows.parts.start, value, row)',
  ],
  ['selectors: armed rows are lost', selectors, 'this.#armed.add(row)', 'this.#armed.delete(row)'],
  [
    'selectors: a common row is not armed',
    selectors,
    'isArmedByAncestor: above !== undefined',
    'isArmedByAncestor: false',
  ],
  ['maps: keys are lost when the filter grows', sparse, 'this.#mark(known)', 'this.#mark(key)'],
  ['maps: the longest key is not found', sparse, 'to - from > this.#longest', 'to - from >= this.#longest'],
  ['hits: two spellings of a URL count twice', 'src/engine/verdict/url-set.ts', 'known.href === url.href', 'false'],
  ['hits: only the first URLs count', 'src/engine/verdict/url-set.ts', '< this.#many.add(url.href).size', '< 0'],
  ['selectors: ids and classes keep their case', sparse, 'lower(text.slice(from, to))', 'text.slice(from, to)'],
  [
    'selectors: a part of an attribute is compared with the whole value',
    selectors,
    "if (part.action === 'equals') append",
    "if (part.action === 'equals' || part.action === 'any') append",
  ],
  ['selectors: any descendant is a child', matcher, "from === 'child' ? this.fits(row, up, last - 1) : ", ''],
  [
    'selectors: results for ancestors are stored wrong',
    matcher,
    'known[up] !== no ? no + 1 : no',
    'known[up] !== no + 1 ? no + 1 : no',
  ],
  ['selectors: an exact :not ignores case', selectors, '(exact ? this.#exact : this.#folding)', 'this.#folding'],
  ['logic: the smallest number that is enough is not enough', logic, "'>=': [value, least]", "'>': [value, least]"],
  ['tests: `is` is not folded', tests, 'append(this.#is, lower(value), item)', 'append(this.#is, value, item)'],
  ['patterns: an optional letter is required', required, "quantifier === '' || quantifier.startsWith('+')", 'true'],
  ['patterns: letters around an optional one follow each other', required, " || quantifier !== ''", ''],
  ['patterns: one alternative is required', required, '|[.^$]/y', '|[.^$|]/y'],
  ['patterns: a set of letters is passed over', required, 'if (letter === undefined ||', 'if ('],
  ['patterns: the first of many is lost', tests, 'this.#patterns.splice(0)', 'this.#patterns.splice(0).slice(1)'],
  ['tests: an attribute is not trimmed', leafTest, 'text: text.trim(), at', 'text, at'],
  [
    'names: a star matches only the empty text',
    beginnings,
    'text.startsWith(letters, from)',
    'text.slice(from, to) === letters',
  ],
  ['names: beginnings of one letter are not found', beginnings, 'collectFrom(this.#short,', 'collectFrom([],'],
  ['names: a name of two letters has no beginning', beginnings, 'to - from < 2 ?', 'to - from <= 2 ?'],
  [
    'names: a whole name hides a beginning',
    place,
    'of this.#findBeginnings(found.name)',
    'of words.getPart(found.name) ? [] : this.#findBeginnings(found.name)',
  ],
  ['paths: beginnings of paths are not asked for', place, "if (word[i] === '.')", "if (word[i] === ':')"],
  [
    'hits: a value counts once for each word',
    hits,
    'if (!this.#isNew(hits, value)) return',
    'this.#isNew(hits, value)',
  ],
  ['hits: a URL counts once for each element', hits, 'if (url) {', 'if (url && found.at === undefined) {'],
  ['hits: a leaf that needs several hits never has them', hits, '|| before >= item.least', '|| before > 0'],
  [
    'Kleene: a record that was not queried counts as seen',
    'plugins/dns.ts',
    'page.dns?.[word.toLowerCase()] !== undefined',
    'page.dns !== null',
  ],
  ['Kleene: absent headers count as seen', 'plugins/header.ts', 'page.headers !== null', 'page !== null'],
  ['values: files of sibling hosts are hits', score, "of === 'hits' ? found.count : ", 'true ? found.count : '],
  ['values: no place is seen', score, '? 1 : 0\n    const found', '? 0 : 0\n    const found'],
  ['Kleene: one seen word is sufficient', score, 'leaf.words.every(', 'leaf.words.some('],
  [
    'groups: a negated group needs one clause less',
    compile,
    'parts.length - node.least + 1',
    'parts.length - node.least',
  ],
  ['windows: only the first occurrence of a literal is tested', place, '&& !entry.dependsOnOccurrence', ''],
  ['windows: a window is one character too short', place, 'to: end + characters', 'to: end + characters - 1'],
  ['windows: bytes are taken for characters', automaton, '(value & 0xc0) !== 0x80', 'value >= 0'],
  ['windows: a character of four bytes has one unit', automaton, 'value >= 0xf0 ? 2 : 1', '1'],
  ['windows: an exact word may be anywhere in the window', leafTest, 'this.#window === undefined\n', 'true\n'],
  [
    'bodies: a script that was not read counts as read',
    'src/engine/page/page-bodies.ts',
    'missing === 0 && cuts === 0',
    'cuts === 0',
  ],
  ['bodies: the style sheets are read as scripts', 'plugins/stylesheet.ts', "'stylesheets'", "'bundles'"],
  ['page: entities are not decoded', decoder, 'this.#ampersand < end', 'this.#ampersand < start'],
  ['page: a value of one character does not end', quick, 'this.offset + 1', 'this.offset + 2'],
  ['page: entities of texts are not decoded', decoder, '? decodeHTML(text) : text', '? text : text'],
  ['page: entities of attributes are not decoded', decoder, '? decodeHTMLAttribute(value) : value', '? value : value'],
  ['page: srcset keeps its descriptors', 'src/engine/page/page-urls.ts', '(?:,|[^,]*)', ''],
]

/** Errors in the evaluation of site types: name, file, text that occurs there once, replacement. */
export const PLANTED_TYPE_FAULTS: readonly Fault[] = [
  [
    'a clause of several leaves holds as soon as one of them does',
    'src/engine/verdict/site-type.ts',
    'ruleset.results.get(one.evaluated, data).points > 0',
    'ruleset.results.get(one.evaluated, data).points >= 0',
  ],
  [
    'a leaf needs more hits than it asks for',
    'src/engine/rule/rule-results.ts',
    'return total >= least',
    'return total > least',
  ],
  [
    'a type loses the points of one of its clauses',
    'src/engine/verdict/site-type.ts',
    'for (let i = 0; i < terms.length; i += 2) scores',
    'for (let i = 2; i < terms.length; i += 2) scores',
  ],
]
