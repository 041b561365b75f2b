import { parseSync } from 'oxc-parser'
import { describe, expect, test } from 'vitest'
import { measureDistances, sortByCloseness } from '../../tools/mutation/find-tests.ts'
import { drawMutants, instrument, listMutants, plantMutant } from '../../tools/mutation/mutants.ts'
import { mutatePattern } from '../../tools/mutation/patterns.ts'

/** Lists the source texts that mutants make of a source text. */
function mutate(source: string): string[] {
  return listMutants('src/a.ts', source, 1).map((mutant) => plantMutant(source, mutant))
}

describe('mutants', () => {
  test.each([
    ['a bound', 'f(a < b)', ['f((a <= b))', 'f((a >= b))']],
    ['an equality', 'f(a === b)', ['f((a !== b))']],
    ['arithmetic', 'f(a * b + c)', ['f((a * b - c))', 'f((a / b) + c)']],
    ['but no text that is joined', 'f(a + `x`)', ["f(a + '')"]],
    ['logic', 'f(a && b)', ['f((a || b))']],
    ['?? with ??, which && must not follow directly', 'f(a ?? b ?? c)', ['f(((a ?? b) && c))', 'f(((a) && b) ?? c)']],
    ['a negation', 'f(!a)', ['f((a))']],
    ['a boolean', 'f(true)', ['f(false)']],
    ['a small number', 'f(2)', ['f(3)']],
    ['but no large one', 'f(200)', []],
    ['a text', "f('a')", ["f('')"]],
    ['an empty text', "f('')", ["f('mutant')"]],
    ['a list', 'f([a])', ['f([])']],
    ['an object', 'f({ a })', ['f(({}))']],
    ['an arrow function', 'f(() => a)', ['f(() => undefined)']],
    ['a method for another', 'f(a.some(b))', ['f(a.every(b))']],
    ['a method that changes nothing', 'f(a.trim())', ['f(a)']],
    ['a member that may be missing', 'f(a?.b)', ['f(a.b)']],
    ['a call that may be missing', 'f(a?.[b])', ['f(a[b])']],
    ['an assignment', 'a += b', ['a -= b']],
    ['a counter', 'a++', ['a--']],
    ['conditions', 'f(a ? b : c)', ['f(true ? b : c)', 'f(false ? b : c)']],
    ['a loop that does not start', 'while (a) f()', ['while (false) f()']],
    [
      'no type, import or name of a property',
      "import a from 'a'\ntype A = 'a'\nf({ 'a': b } as A)",
      ["import a from 'a'\ntype A = 'a'\nf(({}) as A)"],
    ],
  ])('%s', (_, source, expected) => {
    const own = mutate(source).filter((one) => !/(?:^|[\n)] ?)undefined$/m.test(one))
    expect(own).toEqual(expected)
  })

  test('a statement and a block can disappear', () => {
    expect(mutate('if (a) { f(a) }')).toEqual([
      'if (true) { f(a) }',
      'if (false) { f(a) }',
      'if (a) {}',
      'if (a) { undefined }',
    ])
  })

  test('a statement that begins with a parenthesis does not continue the line before it', () => {
    expect(mutate('f\na && b')).toContain('f\n;(a || b)')
  })

  test.each([
    ['^ab$', '', ['/ab$/', '/^ab/', '/^ab$/i']],
    ['[^a]+', '', ['/[^a]/', '/[a]+/', '/[^a]+/i']],
    ['a|b', 'i', ['/b/i', '/a/i', '/a|b/']],
    ['(?:1)?', '', ['/(?:1)/']],
  ])('the pattern /%s/%s', (pattern, flags, expected) => {
    expect(mutatePattern(pattern, flags)).toEqual(expected)
  })
})

describe('a sample', () => {
  const lines = Array.from({ length: 40 }, (_, i) => `f${i}(a${i} < b${i})`)
  const draw = (source: readonly string[], seed = 1): string[] =>
    drawMutants(listMutants('src/a.ts', source.join('\n'), seed), 10).map(({ original }) => original)

  test('depends on the seed', () => {
    expect(draw(lines)).toHaveLength(10)
    expect(draw(lines, 2)).not.toEqual(draw(lines))
  })

  test('stays the same when other lines are moved or added', () => {
    expect(draw(lines.toReversed())).toEqual(draw(lines))
    const grown = draw(['f(a)', ...lines, 'f(b)'])
    expect(grown.filter((one) => draw(lines).includes(one)).length).toBeGreaterThanOrEqual(7)
  })

  test('of equal lines contains as many mutants as there are', () => {
    expect(drawMutants(listMutants('src/a.ts', 'f(a < b)\nf(a < b)', 1), 100)).toHaveLength(6)
  })
})

describe('notes of what a test reaches', () => {
  const note = (source: string): string =>
    instrument(source, listMutants('src/a.ts', source, 1), (indexes) => `n(${indexes})`)

  test.each([
    ['an expression', 'f(a < b)', ';(n(0),f((n(1,2),a < b)))'],
    ['two statements', 'a++\nb++', ';(n(0,1),a++)\n;(n(2,3),b++)'],
    ['a block', 'if (a) { f }', 'if ((n(0,1),a)) {n(2); ;(n(3),f) }'],
    ['the parts of a chain', 'f(a?.b.trim())', ';(n(0),f((n(1,2),a?.b.trim())))'],
    ['a method', 'f(a.some(b))', ';(n(0),f((n(1),a.some(b))))'],
  ])('%s', (_, source, expected) => {
    expect(note(source)).toBe(expected)
    expect(parseSync('a.ts', note(source)).errors).toEqual([])
  })
})

describe('the tests of a source file', () => {
  const files: Readonly<Record<string, string>> = {
    'test/fetch/policy.test.ts': "import { a } from '../../src/fetch/policy.ts'",
    'test/fetch/fetch.test.ts': "import { a } from '../../src/fetch/policy.ts'",
    'test/http/app.test.ts': "import { a } from '../../src/http/app.ts'",
    'test/layers.test.ts': '',
    'src/http/app.ts': "const a = await import('../fetch/policy.ts')",
  }
  const tests = Object.keys(files).filter((file) => file.startsWith('test/'))
  const distances = measureDistances(tests, (file) => files[file] ?? '')

  test('import it directly or indirectly', () => {
    expect(tests.map((one) => distances.get(one)?.get('src/fetch/policy.ts'))).toEqual([1, 1, 2, undefined])
  })

  test('with its name come first, then those in its folder, then the others by the number of imports', () => {
    expect(sortByCloseness(tests.toReversed(), 'src/fetch/policy.ts', distances)).toEqual(tests)
  })
})
