import fc from 'fast-check'

const HOSTS = [
  'example.com',
  'a.example.com',
  '.example.com',
  'a.*',
  'docs.*',
  'github.io',
  '.github.io',
  'example.co.uk',
  'Example.com',
  'bücher.example.com',
  'abc.*',
]
const PATHS = [
  '/abc',
  '/abc/',
  '/ABC',
  '/abc/bcd',
  '/abc/b*',
  '/ab*',
  '/abc*',
  '/abc/*',
  '/bcd.js',
  '/bcd/abc',
  '/b/abc/',
  '/%61bc',
  '/abc/bcd*',
]

export const locatorText = fc.oneof(
  fc.constant('/'),
  fc.constantFrom(...HOSTS),
  fc.constantFrom(...PATHS),
  fc.tuple(fc.constantFrom(...HOSTS), fc.constantFrom(...PATHS)).map((parts) => parts.join('')),
)
/** Generates words of a place with locators. */
export const locators = fc.oneof(locatorText, fc.uniqueArray(locatorText, { minLength: 1, maxLength: 3 }))

const VALUES = ['abc', 'bcd', 'b', 'ABC', 'abcde', 'wp-abc', 'wp', 'a&bc']
const simple = fc.oneof(
  fc.constantFrom(...VALUES.slice(0, 6)).map((name) => `.${name}`),
  fc.constantFrom(...VALUES.slice(0, 6)).map((name) => `#${name}`),
  fc.constantFrom('id', 'CLASS', 'data-abc', 'title', 'href', 'src', 'content').map((name) => `[${name}]`),
  fc
    .tuple(
      fc.constantFrom('id', 'class', 'Data-Abc', 'title', 'href', 'rel'),
      fc.constantFrom('=', '~=', '|=', '^=', '$=', '*='),
      fc.constantFrom('', ...VALUES),
    )
    .map(([name, operator, value]) => `[${name}${operator}"${value}"]`),
)
const flat = fc
  .tuple(fc.constantFrom('', '', 'div', 'SPAN', 'p', '*', 'a'), fc.array(simple, { maxLength: 2 }))
  .map(([tag, parts]) => `${tag}${parts.join('')}` || 'div')
const nested = fc
  .tuple(fc.constantFrom('', '', ':not', ':is'), fc.array(flat, { minLength: 1, maxLength: 2 }))
  .map(([pseudo, all]) => (pseudo ? `${pseudo}(${all.join(', ')})` : ''))
const compound = fc.tuple(flat, nested).map((parts) => parts.join(''))
const row = fc
  .tuple(compound, fc.array(fc.tuple(fc.constantFrom(' ', ' > '), compound), { maxLength: 2 }))
  .map(([first, more]) => first + more.flat().join(''))
const selector = fc.oneof(
  { weight: 3, arbitrary: row },
  { weight: 1, arbitrary: fc.tuple(row, row).map((rows) => rows.join(', ')) },
)
/** Generates words of `element`. */
export const selectors = fc.oneof(selector, fc.uniqueArray(selector, { minLength: 1, maxLength: 2 }))
