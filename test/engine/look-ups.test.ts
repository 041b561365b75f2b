import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { LocatorIndex } from '../../src/engine/lookup/locator-index.ts'
import { matchLocator, parseLocator } from '../../src/engine/rule/locator.ts'
import { Automaton } from '../../src/engine/text/automaton.ts'
import { LiteralIndex } from '../../src/engine/text/literal-index.ts'
import { buildBase, UrlResolver } from '../../src/engine/text/url.ts'
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
  ])('%s finds the same literals as includes(), each once', (_, Index) => {
    const property = fc.property(literals, letters, (all, text) => {
      const index = new Index(new Map(all.map((literal) => [literal, [literal]])))
      expect([...index.find(text)].sort()).toEqual(all.filter((literal) => fold(text).includes(fold(literal))).sort())
    })
    fc.assert(property, { numRuns: 5000 })
  })
})

describe('locators', () => {
  test('the index, the matcher and the naive matcher find the same locators', () => {
    const property = fc.property(
      fc.uniqueArray(locatorText, { maxLength: 12 }),
      fc.oneof(address, written),
      (all, text) => {
        const url = new UrlResolver(buildBase(null, undefined)).resolve(text)
        if (url === null) return
        const index = new LocatorIndex<string>()
        for (const locator of all) index.add(parseLocator(locator), locator)
        const matching = all.filter((locator) => matchLocator(parseLocator(locator), url))
        expect([...new Set(index.find(url))].sort()).toEqual([...matching].sort())
        expect(matching).toEqual(all.filter((locator) => isUnder(locator, url, false)))
      },
    )
    fc.assert(property, { numRuns: 5000 })
  })
})
