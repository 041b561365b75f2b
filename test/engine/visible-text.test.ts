import { describe, expect, test } from 'vitest'
import { escapeInvisible, makeVisible, parseLink } from '../../src/engine/text/visible-text.ts'

test.each([
  ['a normal text', 'WordPress 6.6.1', 'WordPress 6.6.1'],
  ['letters of other scripts, and emoji', 'שלום 你好 👩‍👩‍👧 é', 'שלום 你好 👩‍👩‍👧 é'],
  ['white space and line breaks', ' a \n\t b\u2028c ', 'a b c'],
  ['control characters', 'a\u0000b\u001b[31mc\u009bd', 'a�b�[31mc�d'],
  ['controls of direction', 'exe.\u202egpj\u2066x\u2069\u200f', 'exe.�gpj�x��'],
  ['invisible operators and byte order marks', 'a\u2063b\ufeffc', 'a�b c'],
  ['stacked marks', `a${'\u0301'.repeat(50)}b`, `a${'\u0301'.repeat(4)}b`],
  ['HTML, which the renderer escapes', '<script>alert(1)</script>', '<script>alert(1)</script>'],
  ['a long word', 'x'.repeat(301), `${'x'.repeat(299)}…`],
  ['a long text that is cut inside an emoji', `${'x'.repeat(298)}😀😀`, `${'x'.repeat(298)}…`],
])('makeVisible: %s', (_, text, expected) => expect(makeVisible(text)).toBe(expected))

describe('escapeInvisible', () => {
  test.each([
    ['plain', { a: 'b' }],
    ['controls of direction', { a: 'exe.\u202egpj', '\u2066': 1 }],
    ['delete and C1', { a: '\u007f\u009b\ufeff' }],
    ['line breaks in values', { a: 'x\ny' }],
  ])('%s: the value stays the same, and nothing in it is invisible', (_, value) => {
    const text = escapeInvisible(JSON.stringify(value, null, 2))
    expect(JSON.parse(text)).toEqual(value)
    expect(text).toMatch(/^[\n -~]*$/)
  })
})

test.each([
  ['https', 'https://example.org/a?b=c', 'https://example.org/a?b=c'],
  ['http with a quote', `http://example.org/"><script>`, 'http://example.org/%22%3E%3Cscript%3E'],
  ['capital letters', 'HTTPS://EXAMPLE.org', 'https://example.org/'],
  ['javascript', 'javascript:alert(1)', null],
  ['javascript that looks like https', 'javascript://example.org/%0aalert(1)', null],
  ['a space in front', ' javascript:alert(1)', null],
  ['data', 'data:text/html,<script>alert(1)</script>', null],
  ['a path', '//example.org', null],
  ['no URL', 'https://', null],
  ['nothing', null, null],
])('parseLink: %s', (_, url, expected) => expect(parseLink(url)).toBe(expected))
