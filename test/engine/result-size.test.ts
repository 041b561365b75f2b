import { describe, expect, test } from 'vitest'
import { boundWarnings, cutLine, cutText } from '../../src/engine/text/bounds.ts'
import { toResult } from '../../src/index.ts'
import { builder, getVerdict, type TinyRule, technology } from './support/tiny-rules.ts'

const LONG = 'x'.repeat(100_000)
const buildRule = (i: number): TinyRule =>
  technology(`t${i}`, {
    name: `Technology ${i}`,
    detect: [{ meta: 'a' }, { comment: 'b' }, { meta: 'c' }, { meta: 'd' }],
  })
const rules = Array.from({ length: 400 }, (_, i) => buildRule(i))

describe('a version', () => {
  test.each<[what: string, content: string, version: string | undefined]>([
    ['of usual length', 'Quill 1.2.3', '1.2.3'],
    ['of 4 MB', `Quill 1${'.1'.repeat(2_000_000)}`, `1${'.1'.repeat(31)}.`],
    ['of several lines', 'Quill 1.1\n2.2\r\n\t3.3', '1.1 2.2 3.3'],
    ['with control characters', 'Quill 1.1\u0000\u0007\u0085\u20282', '1.1 2'],
    ['with a character that would be cut in half', `Quill ${'1'.repeat(63)}😀`, '1'.repeat(63)],
    ['that is only white space', 'Quill \n \n', undefined],
  ])('%s', (_, content, version) => {
    const rule = builder('quill', {
      name: 'Quill',
      detect: [{ meta: 'generator', match: '^Quill ([\\s\\S]*)', version: 1 }],
    })
    const { versions } = getVerdict([rule], { html: `<meta name=generator content="${content}">` })
    expect(versions).toEqual(version === undefined ? {} : { Quill: version })
  })
})

describe('every list and string of a result is bounded', () => {
  // Without a limit the evidence of 100 rules would have texts of 80,000 characters.
  const html = `${['a', 'c', 'd'].map((name) => `<meta name=${name} content="${LONG}">`).join('')}<!--b${LONG}-->`
  const verdict = getVerdict(rules, { url: `https://acme.com/${LONG}`, html })

  test.each<[field: string, length: number, most: number]>([
    ['url', verdict.url?.length ?? 0, 2048],
    ['technologies', verdict.technologies.length, 256],
    ['evidence', verdict.evidence.length, 100],
    [
      'texts of the evidence',
      verdict.evidence.flatMap(({ clauses }) => clauses.flatMap(({ texts }) => texts)).join('').length,
      65_536,
    ],
  ])('%s', (_, length, most) => {
    expect(length).toBeLessThanOrEqual(most)
    expect(length).toBeGreaterThan(most / 2)
  })

  test('each cut has a warning', () => {
    expect(verdict.warnings).toEqual([
      'the answer is not the site but a page that shows nothing',
      'only 256 of 400 technologies are listed',
      'evidence is listed for 100 of 400 rules',
    ])
  })

  test('the whole result is small enough for the cache', () => {
    expect(JSON.stringify(toResult(verdict, ['evidence', 'versions', 'warnings'])).length).toBeLessThan(256 * 1024)
  })

  test('warnings', () => {
    const many = boundWarnings(Array.from({ length: 80 }, (_, i) => `${i}\n${LONG}`))
    expect(many).toHaveLength(50)
    expect(many.at(-1)).toBe('31 more warnings were omitted')
    expect(many.slice(0, -1).every((warning) => warning.length <= 500 && !warning.includes('\n'))).toBe(true)
  })
})

test.each<[text: string, characters: number, cut: string, line: string]>([
  ['abc', 3, 'abc', 'abc'],
  ['abcd', 3, 'abc', 'abc'],
  ['ab😀', 3, 'ab', 'ab'],
  ['a\n\nb', 3, 'a\n\n', 'a b'],
  ['  a', 2, '  ', 'a'],
])('%j is cut to %i characters', (text, characters, cut, line) => {
  expect([cutText(text, characters), cutLine(text, characters)]).toEqual([cut, line])
})
