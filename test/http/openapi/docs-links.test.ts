import { describe, expect, test } from 'vitest'
import { buildDocsLinks } from '../../../src/http/openapi/docs-links.ts'
import { openApp } from '../app-fixture.ts'

/** Reads the links that a script adds to the page. */
function readLinks(script: string): unknown {
  return JSON.parse(/ of (\[\[.*\]\])\)/.exec(script)?.[1] ?? 'null')
}

describe('the links above the reference', () => {
  test.each([
    [
      { basePath: '', hasPortal: true },
      [
        ['Portal', '/'],
        ['/openapi.json', '/openapi.json'],
        ['/openapi-1.json (revision 1)', '/openapi-1.json'],
      ],
    ],
    [
      { basePath: '/siteprint', hasPortal: false },
      [
        ['/openapi.json', '/siteprint/openapi.json'],
        ['/openapi-1.json (revision 1)', '/siteprint/openapi-1.json'],
      ],
    ],
  ])('%j', (options, links) => {
    expect(readLinks(buildDocsLinks(options).js)).toEqual(links)
  })

  test('are part of the page, and lead to documents', async () => {
    const app = await openApp()
    const page = await app.call({ url: '/docs/' })
    const [, file] = /<script src="\.(\/static\/theme\/links\.js)"/.exec(page.text) ?? []
    const script = await app.call({ url: `/docs${file}` })
    const links = readLinks(script.text) as [string, string][]
    expect(links.map(([, href]) => href)).toContain('/openapi.json')
    for (const [, url] of links) expect((await app.call({ url })).status).toBe(200)
  })
})
