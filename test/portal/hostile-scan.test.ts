import { Parser } from 'htmlparser2'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type AllowedAddress, parseAllowed } from '../../src/fetch/address.ts'
import { DEFAULT_POLICY } from '../../src/fetch/policy.ts'
import { CurrentRules } from '../../src/scan/current-rules.ts'
import { Scanner } from '../../src/scan/scanner.ts'
import { builtWorker } from '../detector/built-worker.ts'
import { newSite, onePlan } from '../http/app-fixture.ts'
import { LOCAL_BLOCK, openSite } from '../service/local-site.ts'
import { sampleScan } from '../support/sample-scan.ts'
import { openPortal, type TestPortal } from './portal-fixture.ts'
import { openVisitor, readText, type Visitor } from './scan-form.ts'

interface Tag {
  readonly name: string
  readonly attributes: Readonly<Record<string, string>>
}

function readTags(html: string): readonly Tag[] {
  const tags: Tag[] = []
  const parser = new Parser({ onopentag: (name, attributes) => void tags.push({ name, attributes }) })
  parser.end(html)
  return tags
}

/** Elements and attributes that text of a site could have smuggled in. */
function findForeignMarkup(html: string): readonly string[] {
  return readTags(html).flatMap(({ name, attributes }) =>
    Object.entries(attributes).flatMap(([attribute, value]) => {
      const isHandler = attribute.startsWith('on') || attribute === 'style' || attribute === 'srcdoc'
      const isForeign = /^(?:src|href|action)$/.test(attribute) && name !== 'a' && !/^\/(?![/\\])/.test(value)
      return isHandler || isForeign ? [`${name} ${attribute}=${value}`] : []
    }),
  )
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what must not be in a page
const INVISIBLE = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/u
const NORMAL_TAGS = new Set<string>()

const HOSTILE_TEXTS: readonly (readonly [string, string])[] = [
  ['a script', '<script>alert(1)</script>'],
  ['the end of an element and a script', '</code></pre></li></title></textarea><script>alert(1)</script>'],
  ['the end of an attribute', `" onmouseover="alert(1)" x='`],
  ['a picture', '<img src=https://evil.example/x onerror=alert(1)>'],
  ['a style sheet and a base', '<style>*{display:none}</style><base href=https://evil.example/>'],
  ['a comment and CDATA', '<!-- <![CDATA[ --!>'],
  ['entities', '&lt;script&gt;&#60;b&#62;&amp;'],
  ['controls of direction', '\u202egnp.exe\u2066\u200f\u202d'],
  ['control characters', 'a\u0000b\u001b]0;x\u0007c\u009bd\u007f'],
  ['one long word', 'x'.repeat(190)],
  ['stacked marks', `a${'\u0301'.repeat(190)}`],
  ['half of a pair', 'a\ud83d'],
  ['templates', '{{7*7}} <%= x %> javascript:alert(1)'],
  ['names of properties', '__proto__'],
]

/** Links to the sources of the table of networks, which its licences ask for. */
const ATTRIBUTION: readonly (string | undefined)[] = ['https://db-ip.com', 'https://www.routeviews.org']

describe('text of a hostile site is only text', () => {
  let portal: TestPortal
  let me: Visitor
  let text = 'normal'
  let url = ''
  beforeAll(async () => {
    const scan = async (scanned: string) => {
      const clause = {
        clause: '{ meta: generator }',
        places: ['meta'],
        weight: 'strong',
        family: 'declared',
      } as const
      const found = { kind: 'technology', slug: 'x', name: 'Google Fonts', level: 'high', points: 6 } as const
      const { infrastructure, ...live } = sampleScan(scanned, {
        url: url === '' ? scanned : url,
        versions: { Webflow: text, 'Google Fonts': text.slice(0, 64) },
        warnings: [text, `${text} again`],
        evidence: [{ ...found, clauses: [{ ...clause, hits: 2, texts: [text, ''] }], unseen: [], chosen: true }],
      })
      return {
        ...live,
        infrastructure: {
          ...infrastructure,
          ...{ cdn: text, server: text, tlsIssuer: text, tlsError: text as 'invalid', dns: [text, text] },
          ...{ network: { asn: 64496, name: text }, reverseDns: text },
        },
      }
    }
    portal = await openPortal({ settings: onePlan(1000, 1000), scan })
    me = await openVisitor(portal)
    const { html } = await open()
    for (const { name } of readTags(html)) NORMAL_TAGS.add(name)
    expect(readText(html)).toContain('normal again')
  })

  async function open(site = newSite()): Promise<{ html: string; recent: string }> {
    portal.clock.now++ // The newest scans are kept, by their time.
    const { headers, ...submitted } = await me.submit({ url: site })
    expect(submitted.status, readText(submitted.html)).toBe(303)
    const { status, html } = await me.open(String(headers.location))
    expect(status).toBe(200)
    return { html, recent: (await me.open('/scan')).html }
  }

  test.each(HOSTILE_TEXTS)('%s', async (_, hostile) => {
    text = hostile
    const { html, recent } = await open()
    for (const page of [html, recent]) {
      expect(findForeignMarkup(page)).toEqual([])
      expect(readTags(page).filter(({ name }) => name === 'script')).toHaveLength(1)
      expect(page).not.toMatch(INVISIBLE)
    }
    expect([...new Set(readTags(html).map(({ name }) => name))].filter((name) => !NORMAL_TAGS.has(name))).toEqual([])
    text = 'normal'
  })

  test.each([
    ['javascript', 'javascript:alert(1)'],
    ['javascript that looks like a host', 'javascript://example.org/%0aalert(1)'],
    ['data', 'data:text/html,<script>alert(1)</script>'],
    ['a path', '//evil.example/'],
    ['no URL', 'https://'],
  ])('a final URL that is not of a website is not a link: %s', async (_, final) => {
    url = final
    const { html } = await open()
    const targets = readTags(html)
      .filter(({ name }) => name === 'a')
      .map(({ attributes }) => attributes.href)
      .filter((target) => !ATTRIBUTION.includes(target))
    expect(targets.filter((target) => !/^(?:#|\/(?!\/))/.test(target))).toEqual([])
    expect(readText(html)).toContain(final)
    url = ''
  })

  test('a website is a link that gives nothing away; the page loads nothing from it', async () => {
    url = `https://example.org/"><script>alert(1)</script>?${'a'.repeat(400)}`
    const { html } = await open()
    const links = readTags(html).filter(
      ({ attributes: { href } }) => href?.startsWith('http') && !ATTRIBUTION.includes(href),
    )
    expect(links).toMatchObject([
      { name: 'a', attributes: { href: new URL(url).href, rel: 'noopener noreferrer nofollow' } },
    ])
    expect(findForeignMarkup(html)).toEqual([])
    url = ''
  })

  test('a submitted URL with every character that URLs may contain', async () => {
    const { html, recent } = await open(`${newSite()}<>"'&;$\`{}|^%3Cscript%3E\u00e4\u05e9?a=<b>#<i>`)
    for (const page of [html, recent]) expect(findForeignMarkup(page)).toEqual([])
    expect(recent).not.toContain('<b>')
  })
})

test('a real scan of a local site', async () => {
  const site = await openSite()
  const policy = { ...DEFAULT_POLICY, allow: [parseAllowed(LOCAL_BLOCK) as AllowedAddress] }
  const scanner = new Scanner({ policy, evidence: [], worker: builtWorker() })
  afterAll(() => scanner.close())
  const portal = await openPortal({
    settings: onePlan(1000, 1000),
    policy,
    parts: {
      rules: new CurrentRules(await scanner.ready()),
      scan: (target, client) => scanner.scan(target, { client }),
    },
  })
  const me = await openVisitor(portal)
  const { headers } = await me.submit({ url: site.page(1) })
  const text = readText((await me.open(String(headers.location))).html)
  for (const part of [
    /Made with WordPress/,
    /High confidence/,
    /Kind of builder Content management system/,
    /Technologies Builder WordPress 6\.6\.1/,
    /WordPress Builder 6 of 6 points Strong evidence A meta tag WordPress 6\.6\.1/,
  ])
    expect(text).toMatch(part)
  expect(site.visits.size).toBe(1)
})
