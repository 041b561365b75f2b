import { type ParserError, parse } from 'parse5'
import { expect, test } from 'vitest'
import { describeRuleset } from '../../src/detector/ruleset-info.ts'
import { entryPath } from '../../src/portal/catalogue/paths.ts'
import { CurrentRules } from '../../src/scan/current-rules.ts'
import { openOwnRuleset } from '../support/own-ruleset.ts'
import { HOST, openPortal } from './portal-fixture.ts'

test('every page is HTML without a parse error, and has a title, a description and a canonical address of its own', async () => {
  const info = describeRuleset(openOwnRuleset().packed)
  const portal = await openPortal({ parts: { rules: new CurrentRules(info) } })
  const browser = portal.openBrowser()
  const titles = new Map<string, string>()
  const errors: string[] = []
  for (const path of info.catalogue.map(entryPath)) {
    const { status, html } = await browser.send({ path })
    if (status !== 200) errors.push(`${path}: ${status}`)
    parse(html, { onParseError: ({ code }: ParserError) => void errors.push(`${path}: ${code}`) })
    const title = /<title>(.*?)<\/title>/.exec(html)?.[1] ?? ''
    if (titles.has(title)) errors.push(`${path} has the title of ${titles.get(title)}: ${title}`)
    titles.set(title, path)
    if (!html.includes(`<link rel="canonical" href="http://${HOST}${path}"/>`))
      errors.push(`${path}: no canonical address`)
    if (!/<meta name="description" content="[^"]{10,}"\/>/.test(html)) errors.push(`${path}: no description`)
  }
  expect(errors).toEqual([])
})
