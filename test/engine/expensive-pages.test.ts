import { beforeAll, expect, test } from 'vitest'
import type { Ruleset } from '../../src/engine/lookup/ruleset.ts'
import { readAttribute } from '../../src/engine/page/element.ts'
import { buildPage } from '../../src/engine/page/page.ts'
import type { Page } from '../../src/engine/page/page-types.ts'
import type { Verdict } from '../../src/engine/verdict/verdict-types.ts'
import { detect, toResult } from '../../src/index.ts'
import { EXPENSIVE_PAGES } from '../../tools/bench/expensive-pages.ts'
import { openOwnRuleset } from '../support/own-ruleset.ts'

let ruleset: Ruleset
beforeAll(() => {
  ruleset = openOwnRuleset()
})

const sum = (texts: readonly string[]): number => texts.reduce((length, text) => length + text.length, 0)

/** Counts everything that determines the cost of a page. Each count is bounded, so that no page exceeds a worker's time. */
const countParts = ({ tape, urls, text, comments, scripts, styles, jsonld }: Page): Record<string, number> => ({
  tokens: tape.tags.length + tape.names.length + tape.texts.length + comments.length,
  urls: urls.length,
  differentUrls: new Set(urls.map(({ url }) => url)).size,
  urlCharacters: sum([...new Set(urls.map(({ url }) => url.href))]),
  text: text.length,
  blocks: sum(scripts) + sum(styles),
  jsonld: JSON.stringify(jsonld).length,
})
const BOUNDS: Readonly<Record<string, number>> = {
  tokens: 2 * 150_000, // A tag can add up to two spaces of text to what is counted.
  urls: 50_100,
  differentUrls: 10_000,
  urlCharacters: 13 * 2 ** 20, // 8 Mi characters plus the URL that exceeds them.
  text: 2 ** 20,
  blocks: 2 * 4 * 2 ** 20,
  jsonld: 2 ** 20,
}

test.each(EXPENSIVE_PAGES)('%s: the page is within the bounds and the result is small', (_, make) => {
  const page = buildPage({ url: 'https://hostile.example/', status: 200, headers: {}, html: make() })
  const amounts = countParts(page)
  expect(Object.keys(BOUNDS).filter((name) => amounts[name] > BOUNDS[name])).toEqual([])
  const verdict = detect(ruleset, page)
  expect(JSON.stringify(toResult(verdict, ['evidence', 'versions', 'warnings'])).length).toBeLessThan(20_000)
  checkVersions(verdict)
})

function checkVersions({ versions }: Verdict): void {
  for (const version of Object.values(versions)) expect(version).toMatch(/^\S.{0,63}$/)
}

test('the part of a page before the cut is parsed', () => {
  const { tape, warnings, text } = buildPage({ html: `<p id=first>words</p>${'<b>'.repeat(300_000)}<p id=last>` })
  const ids = tape.tags.map((_, at) => readAttribute(tape, at, 'id')).filter((id) => id !== undefined)
  expect([ids, text]).toEqual([['first'], 'words'])
  expect(warnings.at(-1)).toMatch(/^only the first 4500\d\d of 900\d\d\d characters were parsed/)
})

test.each<[name: string, json: string, parsed: number, warning: RegExp[]]>([
  ['64 levels', '['.repeat(64) + ']'.repeat(64), 1, []],
  ['65 levels', '['.repeat(65) + ']'.repeat(65), 0, [/^1 JSON-LD block was not parsed: .* deeper than 64$/]],
  ['100 brackets in a string', `["${'['.repeat(100)}\\"${'{'.repeat(100)}"]`, 1, []],
  ['524,288 characters', `"${'x'.repeat(524_286)}"`, 1, []],
  ['524,289 characters', `"${'x'.repeat(524_287)}"`, 0, [/^1 JSON-LD block was not parsed: the limit is 256 blocks/]],
])('JSON-LD of %s', (_, json, parsed, warnings) => {
  const page = buildPage({ html: `<script type="application/ld+json">${json}</script>` })
  expect(page.jsonld).toHaveLength(parsed)
  expect(page.warnings).toEqual(warnings.map((warning) => expect.stringMatching(warning)))
})
