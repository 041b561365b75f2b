import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { LocatorIndexBuilder } from '../../src/engine/lookup/locator-index.ts'
import { findRequiredPart } from '../../src/engine/lookup/required-part.ts'
import { matchLocator, parseLocator } from '../../src/engine/rule/locator.ts'
import { Automaton } from '../../src/engine/text/automaton.ts'
import { LiteralIndex } from '../../src/engine/text/literal-index.ts'
import { PackedMap, PackedMapBuilder } from '../../src/engine/text/packed-map.ts'
import { Sections } from '../../src/engine/text/sections.ts'
import { SparseMap } from '../../src/engine/text/sparse-map.ts'
import { buildBase, UrlResolver } from '../../src/engine/text/url.ts'
import { countRuns } from '../support/property-runs.ts'
import { address, written } from './support/arbitrary-urls.ts'
import { locatorText } from './support/arbitrary-words.ts'
import { fold, isUnder } from './support/naive-words.ts'

describe('literals', () => {
  const letters = fc.string({
    unit: fc.constantFrom('a', 'b', 'c', 'A', 'B', 'é', 'É', ' ', '.', 'K', 'ſ', 'k', 's', '😀'),
    maxLength: 30,
  })
  const literals = fc.uniqueArray(
    letters.map((text) => [...text].slice(0, 5).join('')).filter((text) => text.length > 0),
    { minLength: 1, maxLength: 12 },
  )

  test.each([
    ['the automaton', Automaton],
    ['the index', LiteralIndex],
  ])('%s finds the same literals as includes(), each once', { tags: ['property'] }, (_, Index) => {
    const property = fc.property(literals, letters, (all, text) => {
      const folded = [...new Set(all.map(fold))]
      const found = Index.of(folded).find(text)
      expect(found.map((i) => folded[i]).sort()).toEqual(folded.filter((one) => fold(text).includes(one)).sort())
    })
    fc.assert(property, { numRuns: countRuns(1500) })
  })

  test('the automaton finds them in long texts, with more letters than its table has columns', {
    tags: ['property'],
  }, () => {
    const letter = fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code))
    const word = fc.string({
      unit: fc.oneof(letter, fc.constantFrom('ж', 'я', '日', 'q', 'z')),
      minLength: 1,
      maxLength: 4,
    })
    const sample = fc
      .uniqueArray(word, { minLength: 20, maxLength: 60 })
      .chain((all) => fc.tuple(fc.constant(all), fc.array(fc.oneof(word, fc.constantFrom(...all)), { maxLength: 120 })))
    const property = fc.property(sample, ([all, words]) => {
      const text = words.join('')
      const folded = [...new Set(all.map(fold))]
      const automaton = Automaton.of(folded)
      const expected = folded.filter((literal) => fold(text).includes(literal))
      expect(
        automaton
          .find(text)
          .map((i) => folded[i])
          .sort(),
      ).toEqual(expected.sort())
      const occurrences = automaton.findOccurrences(text, 1000)
      for (const { literal, start, end } of occurrences) expect(fold(text.slice(start, end))).toBe(folded[literal])
      expect(new Set(occurrences.map(({ literal }) => folded[literal]))).toEqual(new Set(expected))
    })
    fc.assert(property, { numRuns: countRuns(400) })
  })
})

describe('maps that mostly miss', () => {
  test('they return what a Map with lower-case keys returns', { tags: ['property'] }, () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'A', 'b', 'é', 'É', 'я', '-', '1'), maxLength: 5 })
    const property = fc.property(fc.array(text, { maxLength: 40 }), fc.array(text), (keys, asked) => {
      const sparse = new SparseMap<number>()
      const builder = new PackedMapBuilder()
      const plain = new Map<string, number>()
      for (const [i, key] of keys.entries()) {
        const scope = i % 3
        sparse.set(fold(key), i)
        plain.set(`${scope} ${fold(key)}`, builder.add(fold(key), scope))
      }
      const sections = new Sections()
      builder.pack(sections)
      const packed = new PackedMap(sections)
      for (const one of [...keys, ...asked]) {
        const last = keys.findLastIndex((key) => fold(key) === fold(one))
        expect(sparse.getPart(`/${one}/`, 1, 1 + one.length)).toBe(last < 0 ? undefined : last)
        for (const scope of [0, 1, 2]) {
          const number = plain.get(`${scope} ${fold(one)}`) ?? -1
          expect(packed.find(`/${one}/`, 1, 1 + one.length, scope)).toBe(number)
          if (number >= 0) expect(packed.getKey(number)).toBe(fold(one))
        }
      }
    })
    fc.assert(property, { numRuns: countRuns(700) })
  })
})

describe('locators', () => {
  test('the index, the matcher and the naive matcher find the same locators', { tags: ['property'] }, () => {
    const property = fc.property(
      fc.uniqueArray(locatorText, { maxLength: 12 }),
      fc.oneof(address, written),
      (all, text) => {
        const url = new UrlResolver(buildBase(null, undefined)).resolve(text)
        if (url === null) return
        const builder = new LocatorIndexBuilder()
        for (const [i, locator] of all.entries()) builder.add(parseLocator(locator), i)
        const index = builder.build()
        const matching = all.filter((locator) => matchLocator(parseLocator(locator), url))
        expect([...new Set(index.find(url).map((i) => all[i]))].sort()).toEqual([...matching].sort())
        expect(matching).toEqual(all.filter((locator) => isUnder(locator, url, false)))
      },
    )
    fc.assert(property, { numRuns: countRuns(1500) })
  })
})

describe('patterns', () => {
  test.each([
    ['\\bmod_perl/(\\d+\\.\\d+)', 'mod_perl/'],
    ['^[^?#]+\\.aspx(?:$|[?#/])', '.aspx'],
    ['^WordPress(?: ([\\d.]+)?|$)', 'WordPress'],
    ['ab+cdef', 'cdef'],
    ['abc?def', 'def'],
    ['abcd{2}ef', 'abc'],
    ['abcd+?ef', 'abcd'],
    ['(?:abc(?:d)e[)]f)ghi', 'ghi'],
    ['abc[de]fg', 'abc'],
    ['abc|def', undefined],
    ['(?:abc|def)', undefined],
    ['\\u0041bcd', undefined],
    ['ab.cd', undefined],
  ])('%s requires %s', (pattern, part) => {
    expect(findRequiredPart(pattern)).toBe(part)
  })

  test('what a pattern matches contains the part that it requires', { tags: ['property'] }, () => {
    const step = fc.constantFrom(
      'a',
      'b',
      'C',
      '\\.',
      '[ab]',
      '(?:a|b)',
      '(?:abc)?',
      '\\d',
      'a?',
      'b+',
      'c{2}',
      '.',
      'a*?',
    )
    const pattern = fc.array(step, { minLength: 1, maxLength: 8 }).map((steps) => steps.join(''))
    const text = pattern.chain((one) => fc.tuple(fc.constant(one), fc.stringMatching(new RegExp(`^${one}$`))))
    const property = fc.property(text, ([one, matching]) => {
      const part = findRequiredPart(one)
      if (part !== undefined) expect(matching.toLowerCase()).toContain(part.toLowerCase())
    })
    fc.assert(property, { numRuns: countRuns(700) })
  })
})
