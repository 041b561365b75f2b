import fc from 'fast-check'

const PREFIXES = [
  '//example.com',
  'https://example.com',
  'https://www.example.com',
  'http://a.example.com:8080',
  'https://A.Example.COM',
  'https://abc.example.com.',
  'https://b.github.io',
  'https://a.github.io',
  'https://docs.example.co.uk',
  'https://bücher.example.com',
  'https://user:pass@example.com',
  'HTTPS:\\\\example.com',
]
const PATHS = [
  '',
  '/',
  '/abc',
  '/abc/',
  '/abc/bcd',
  '/abcde',
  '/ABC/bcd.js',
  '/abc/./bcd',
  '/x/../abc',
  '/%61bc/abc',
  '/b/abc/bcd/x.png',
  '//abc',
  '/abc bcd',
  '/é/abc',
]
const TAILS = ['', '', '?abc=1', '#bcd', '?', '?b#abc']
const ODD_URLS = [
  '',
  '#abc',
  'abc',
  'abc/bcd',
  './',
  '../bcd',
  'data:text/plain,abc',
  'mailto:abc@example.com',
  ' //example.com/abc\t',
  'example.com/abc',
  'ht\ntps:/example.com',
]

/** Generates the address of a page. */
export const address = fc
  .tuple(fc.constantFrom(...PREFIXES.slice(1)), fc.constantFrom(...PATHS), fc.constantFrom(...TAILS))
  .map((parts) => parts.join(''))
/** Generates a URL as written in a page, including unusual ones. */
export const written = fc.oneof(
  {
    weight: 6,
    arbitrary: fc
      .tuple(fc.constantFrom('', '', ...PREFIXES), fc.constantFrom(...PATHS), fc.constantFrom(...TAILS))
      .map((parts) => parts.join('')),
  },
  { weight: 1, arbitrary: fc.constantFrom(...ODD_URLS) },
)
