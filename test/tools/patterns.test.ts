// biome-ignore-all lint/suspicious/noTemplateCurlyInString: some strings here are source code.
import { describe, expect, test } from 'vitest'
import { projectFolder } from '../../src/rules/built.ts'
import { DYNAMIC_PATTERNS } from '../../tools/patterns/dynamic-patterns.ts'
import { findInSource, findPatterns } from '../../tools/patterns/find-patterns.ts'
import { buildPumpTexts, pumpTo } from '../../tools/patterns/pump-texts.ts'

// patterns.slow.ts analyses each of these expressions, and patterns.timed.ts tries slow ones on pumped texts.
const { known, dynamic } = findPatterns(projectFolder(), ['src', 'plugins'])

describe('regular expressions of src/ and plugins/', () => {
  test('enough of them are found', () => {
    expect(known.length).toBeGreaterThan(100)
  })

  test('code that builds one at run time is listed with a reason, and no reason is unused', () => {
    const names = (all: readonly { file: string; code: string }[]): string[] =>
      [...new Set(all.map(({ file, code }) => `${file}: ${code}`))].sort()
    expect(names(dynamic)).toEqual(names(DYNAMIC_PATTERNS))
  })
})

describe('the source is searched for', () => {
  test.each<[what: string, source: string, known: readonly string[], dynamic: readonly string[]]>([
    ['a literal', 'const a = /a+/gi', ['/a+/gi'], []],
    ['a literal in a template', 'const a = `${/a+/.test(b)}`', ['/a+/'], []],
    ['no comment, string or division', "// /a+/\nconst a = '/b+/' + 1 / 2 / 3", [], []],
    ['RegExp of a string', "new RegExp('a+', 'i')", ['/a+/i'], []],
    ['RegExp without new', "RegExp('a+')", ['/a+/'], []],
    ['RegExp of constants', "const B = 'b'\nnew RegExp(`^${B}+$`)", ['/^b+$/'], []],
    ['RegExp of a variable', "let b = 'b'\nnew RegExp(b, 'u')", [], ["new RegExp(b, 'u')"]],
    ['flags that are not constant', "new RegExp('a', f())", [], ["new RegExp('a', f())"]],
    ['a string that match compiles', "a.match('b+'); a.matchAll('c'); a.match(b)", ['/b+/', '/c/g'], []],
    ['the pattern of a schema', "const s = { pattern: '^a+$' }", ['/^a+$/u'], []],
  ])('%s', (_, source, known, dynamic) => {
    const found = findInSource('a.ts', source)
    expect(found.known.map(({ pattern, flags }) => `/${pattern}/${flags}`)).toEqual(known)
    expect(found.dynamic.map(({ code }) => code)).toEqual(dynamic)
  })

  test('a syntax error is reported', () => {
    expect(() => findInSource('a.ts', 'const a = (')).toThrow(/a\.ts/)
  })
})

test('pumped texts have the requested length', () => {
  for (const text of buildPumpTexts('^(?:ab|c)+x{2,}[^"]*$', ''))
    expect(Math.abs(pumpTo(text, 1024).length - 1024)).toBeLessThan(text.pump.length + 1)
})
