// biome-ignore-all lint/suspicious/noTemplateCurlyInString: some strings here are source code.
import { createRequire } from 'node:module'
import { describe, expect, test } from 'vitest'
import { joinAlternatives } from '../../src/engine/text/literal-index.ts'
import { projectFolder } from '../../src/rules/built.ts'
import { measurePattern } from '../../src/rules/patterns/pattern-cost.ts'
import { buildPatternGraph, CostlyPatternError } from '../../src/rules/patterns/pattern-graph.ts'
import { DYNAMIC_PATTERNS } from '../../tools/patterns/dynamic-patterns.ts'
import { findInSource, findPatterns } from '../../tools/patterns/find-patterns.ts'
import { buildPumpTexts, pumpTo } from '../../tools/patterns/pump-texts.ts'
import { findSuperLinear } from '../../tools/patterns/pump-worker.ts'

const { checkSync } = createRequire(import.meta.url)('recheck/lib/browser.js') as typeof import('recheck')
/** Returns `safe`, or why a pattern is not known to be linear. */
function analyse(pattern: string, flags: string): string {
  return isProved(pattern, flags) ? 'safe' : recheck(pattern, flags)
}

/**
 * Whether the proof that the project's rules must pass holds: it bounds the steps from all positions together.
 * `pattern-cost.test.ts` compares this proof with recheck and with trials; `npm run patterns` runs both methods on
 * every pattern.
 */
function isProved(pattern: string, flags: string): boolean {
  // Without a repeat a match takes a bounded number of steps from each position.
  if (!/[*+{]/.test(pattern)) return true
  // The proof does not support the flags `u` and `m`. Where a search begins does not matter to it.
  if (/[^gisy]/.test(flags)) return false
  try {
    measurePattern(buildPatternGraph(pattern, flags.replace(/[gy]/g, '')))
    return true
  } catch (error) {
    if (error instanceof CostlyPatternError) return false
    throw error
  }
}

function recheck(pattern: string, flags: string): string {
  // The limits of recheck's phases depend on the load of the machine: without them the analysis always ends the same way.
  const verdict = checkSync(pattern, flags, {
    timeout: 30_000,
    attackTimeout: null,
    incubationTimeout: null,
    seedingTimeout: null,
  })
  if (verdict.status === 'vulnerable') return `${verdict.complexity.summary}: ${verdict.attack.pattern}`
  return verdict.status === 'safe' ? 'safe' : `unknown: ${verdict.error.kind}`
}

const { known, dynamic } = findPatterns(projectFolder(), ['src', 'plugins'])

describe('every regular expression of src/ and plugins/ is linear', () => {
  test.each(known.map(({ place, pattern, flags }) => [place, pattern, flags]))('%s /%s/%s', (_, pattern, flags) => {
    expect(analyse(pattern, flags)).toBe('safe')
  })

  test('enough of them are found', () => {
    expect(known.length).toBeGreaterThan(100)
  })

  test('code that builds one at run time is listed with a reason, and no reason is unused', () => {
    const names = (all: readonly { file: string; code: string }[]): string[] =>
      [...new Set(all.map(({ file, code }) => `${file}: ${code}`))].sort()
    expect(names(dynamic)).toEqual(names(DYNAMIC_PATTERNS))
  })

  test('alternatives of literals contain no repetition for any literals', () => {
    const literals = ['a*', '(b+)+', '[c]{2,}', '^d$', 'e|f', '\\s+', 'g?']
    const pattern = joinAlternatives(literals)
    expect(analyse(pattern, 'i')).toBe('safe')
    for (const literal of literals) expect(new RegExp(`^(?:${pattern})$`).test(literal)).toBe(true)
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

describe('pumped texts', () => {
  test.each([
    ['two adjacent repeats', 'http-equiv\\s*=\\s*["\']?\\s*refresh', 'i'],
    ['a start at every position', '[^/:#]*$', ''],
    ['a repeat without an end', '\\[[^\\]]*\\]', 'g'],
    ['an optional lead', '(?:\\/\\/)?\\s*\\]\\]>$', ''],
    ['letters of other scripts', '^[\\p{L}]+[\\p{Lu}\u4e00]+!$', 'u'],
    ['a repeat of a group', '^(?:ab)*(?:a|b)*c$', ''],
  ])('show %s', { timeout: 60_000 }, (_, pattern, flags) => {
    expect(findSuperLinear({ pattern, flags, more: [] })).not.toBeNull()
  })

  test('have the requested length', () => {
    for (const text of buildPumpTexts('^(?:ab|c)+x{2,}[^"]*$', ''))
      expect(Math.abs(pumpTo(text, 1024).length - 1024)).toBeLessThan(text.pump.length + 1)
  })
})
