import { Validator } from '@seriousme/openapi-schema-validator'
import { beforeAll, describe, expect, test } from 'vitest'
import { API_ERRORS } from '../../../src/errors.ts'
import { CurrentRules } from '../../../src/scan/current-rules.ts'
import { openOwnRuleset } from '../../support/own-ruleset.ts'
import { SAMPLE_RULES, sampleScan } from '../../support/sample-scan.ts'
import { onePlan, openApp, type TestApp } from '../app-fixture.ts'
import { buildSchemaCheck } from '../check-response.ts'

// biome-ignore lint/suspicious/noExplicitAny: a JSON document.
type Json = any

interface Described {
  readonly app: TestApp
  readonly document: Json
}
const PATHS = { 1: '/openapi-1.json', 2: '/openapi.json' } as const
const described = {} as Record<1 | 2, Described>
beforeAll(async () => {
  for (const revision of [1, 2] as const) {
    const app = await openApp({
      settings: { ...onePlan(1000, 1000), apiRevision: revision, chromium: '/usr/bin/chromium' },
    })
    described[revision] = { app, document: (await app.call({ url: PATHS[revision] })).body }
  }
})

const REVISIONS = [[1], [2]] as const
const SCAN = '200,400,401,405,421,429,500,503'
const OTHER = '200,400,401,405,421,429,500,503'

/** Calls a function with every schema of a document, and with the path of names to it. */
function visitSchemas(part: Json, visit: (schema: Json, path: string) => void, path = ''): void {
  if (typeof part !== 'object' || part === null) return
  visit(part, path)
  for (const [key, value] of Object.entries(part)) visitSchemas(value, visit, `${path}/${key}`)
}

function listOperations({ paths }: Json): { path: string; method: string; operation: Json }[] {
  return Object.entries<Json>(paths).flatMap(([path, methods]) =>
    Object.entries<Json>(methods).map(([method, operation]) => ({ path, method, operation })),
  )
}

describe.each(REVISIONS)('the document of revision %d', (revision) => {
  let document: Json
  beforeAll(() => {
    document = described[revision].document
  })

  test('is valid OpenAPI 3.1', async () => {
    const validator = new Validator()
    const { valid, errors } = await validator.validate(structuredClone(document))
    expect([valid, errors]).toEqual([true, undefined])
    const version = revision === 2 ? '1.2.3' : '1.2.3 (revision 1)'
    expect([document.openapi, document.info.version]).toEqual(['3.1.0', version])
    expect(document.servers).toEqual([{ url: '/', description: 'This service' }])
  })

  test('every reference resolves, and every component is used', () => {
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)].map(([, path]) => path)
    expect(references.length).toBeGreaterThan(10)
    for (const path of references)
      expect(
        path.split('/').reduce<Json>((at, step) => at?.[step], document),
        path,
      ).toBeDefined()
    const used = new Set(references.map((path) => path.replace('components/schemas/', '')))
    expect(Object.keys(document.components.schemas).sort()).toEqual([...used].sort())
  })

  test('has exactly the specified endpoints and responses', () => {
    const found = listOperations(document).map(({ method, path, operation: { responses } }) => [
      method,
      path,
      Object.keys(responses).join(),
    ])
    const second = [
      ['get', '/api/v1/catalogue', '200,304,400,401,405,421,429,500,503'],
      ['get', '/api/v1/usage', OTHER],
      ['post', '/api/v1/batches', '202,400,401,405,413,421,422,429,500,503'],
      ['get', '/api/v1/batches', OTHER],
      ['get', '/api/v1/batches/{id}', '200,400,401,404,405,421,429,500,503'],
      ['delete', '/api/v1/batches/{id}', '200,400,401,404,405,421,429,500,503'],
      ['get', '/api/v1/batches/{id}/results', '200,400,401,404,405,421,429,500,503'],
      ['post', '/api/v1/batches/{id}/retry', '202,400,401,404,405,421,429,500,503'],
    ]
    const both = [
      ['get', '/api/v1/me', OTHER],
      ['get', '/api/v1/scan', SCAN],
      ['post', '/api/v1/scan', SCAN],
    ]
    expect(found.sort()).toEqual([...both, ...(revision === 2 ? second : [])].sort())
  })

  test('only 429 has Retry-After, every response has the rate-limit headers, scans of revision 2 those of the quota', () => {
    for (const { path, operation } of listOperations(document))
      for (const [status, { headers }] of Object.entries<Json>(operation.responses)) {
        expect(Object.keys(headers).includes('Retry-After')).toBe(status === '429')
        for (const name of ['Limit', 'Remaining', 'Reset']) expect(headers).toHaveProperty(`X-RateLimit-${name}`)
        const hasQuota = revision === 2 && path.endsWith('/scan') && ['200', '429', '500', '503'].includes(status)
        expect([path, status, 'X-Quota-Remaining' in headers]).toEqual([path, status, hasQuota])
      }
  })

  test('has both ways to send a key', () => {
    expect(document.components.securitySchemes).toMatchObject({
      bearer: { type: 'http', scheme: 'bearer' },
      header: { type: 'apiKey', in: 'header', name: 'X-Api-Key' },
    })
    expect(document.security).toEqual([{ bearer: [] }, { header: [] }])
  })

  test('has the codes of the error table', () => {
    expect(document.components.schemas.ErrorCode['x-extensible-enum']).toEqual(Object.keys(API_ERRORS))
  })

  test('responses are open, and only what clients send and the confidence are closed', () => {
    const closed: string[] = []
    const sent = /^\/paths\/.*\/(?:parameters|requestBody)|^\/components\/schemas\/(?:ScanRequest|BatchRequest|Extra)\b/
    visitSchemas(document, (schema, path) => {
      const isClosed = schema.additionalProperties === false || schema.enum !== undefined
      if (isClosed && !sent.test(path)) closed.push(path)
    })
    expect(closed).toEqual(['/components/schemas/Confidence'])
  })

  test('has named components', () => {
    const second = [
      ...['TechnologyDetail', 'TechnologyCategory', 'Support', 'Package', 'Part'],
      ...[
        'Meta',
        'Catalogue',
        'CatalogueEntry',
        'KeyUsage',
        'DayUsage',
        'PageAnswer',
        'Batch',
        'BatchCounts',
        'BatchLine',
      ],
      ...['BatchList', 'BatchRequest', 'BatchStatus', 'BatchWebhook', 'WebhookAttempt'],
    ]
    const both = [
      ...['ScanRequest', 'Extra', 'ScanResult', 'Confidence', 'BuilderCategory', 'SiteType', 'Evidence', 'Clause'],
      ...['Infrastructure', 'Network', 'Timing', 'KeyInfo', 'Error', 'ErrorCode'],
    ]
    expect(Object.keys(document.components.schemas)).toEqual([...both, ...(revision === 2 ? second : [])].sort())
  })

  test('has the fields of its revision', () => {
    const { ScanResult, BuilderCategory, Extra, Error: failure } = document.components.schemas
    const isSecond = revision === 2
    expect(ScanResult.required.includes('isAiNative')).toBe(isSecond)
    expect('isAiNative' in ScanResult.properties).toBe(isSecond)
    expect([ScanResult.required.length, ScanResult.required[5]]).toEqual(
      isSecond ? [10, 'isAiNative'] : [9, 'technologies'],
    )
    expect(BuilderCategory['x-extensible-enum'].includes('visual-builder')).toBe(!isSecond)
    expect(BuilderCategory['x-extensible-enum'].includes('website-builder')).toBe(isSecond)
    expect(Extra.enum.includes('meta')).toBe(isSecond)
    expect(failure.required.includes('retryable')).toBe(isSecond)
  })

  test('POST takes its options in the body only', () => {
    const { parameters, requestBody } = document.paths['/api/v1/scan'].post
    expect([parameters, requestBody.content['application/json'].schema]).toEqual([
      undefined,
      { $ref: '#/components/schemas/ScanRequest' },
    ])
    const query = document.paths['/api/v1/scan'].get.parameters
    expect(query.find(({ name }: Json) => name === 'fresh').schema).toEqual({ type: 'boolean' })
    expect(query.find(({ name }: Json) => name === 'include')).toMatchObject({ style: 'form', explode: false })
  })

  test('its introduction has the limits, and says where to get a key and what clients must accept', () => {
    const { description, contact } = document.info
    expect(description).toContain(`| \`free\` | ${revision === 2 ? 1000 : 30} | 1,000 |`)
    expect(description).toContain('The operator of this service issues keys.')
    expect(description).toContain('Clients must accept fields and values that they do not know.')
    expect(description).toContain(PATHS[revision === 2 ? 1 : 2])
    expect(contact).toEqual({ name: 'The operator of this service' })
  })
})

test('PUBLIC_URL and CONTACT_URL are in the documents', async () => {
  const app = await openApp({ settings: { publicUrl: 'https://siteprint.example', contactUrl: 'mailto:a@b.example' } })
  for (const url of Object.values(PATHS)) {
    const { servers, info } = (await app.call({ url })).body
    expect([servers[0].url, info.contact.url]).toEqual(['https://siteprint.example', 'mailto:a@b.example'])
  }
})

describe.each(REVISIONS)('the examples of revision %d', (revision) => {
  test('every example request is answered as documented', async () => {
    const { app, document } = described[revision]
    const { secret } = await app.newKey({ plan: 'free' })
    // A batch has an id, and its submission gets 202.
    const requests = requestsOf(document).filter(({ url }) => !url.includes('/batches'))
    expect(requests.length).toBeGreaterThan(4)
    for (const request of requests) {
      const answer = await app.call({ ...request, secret })
      expect([request, answer.status]).toEqual([request, 200])
    }
  })

  test('every response has examples, which match its schema', () => {
    const { document } = described[revision]
    const check = buildSchemaCheck(document)
    for (const { operation } of listOperations(document))
      for (const [status, { content }] of Object.entries<Json>(operation.responses)) {
        if (status === '304') continue
        const { schema, examples } = Object.values<Json>(content)[0]
        expect(Object.keys(examples).length).toBeGreaterThan(0)
        for (const { value } of Object.values<Json>(examples)) check(schema.$ref.split('/').at(-1), value)
      }
  })

  test('a response that differs from the schema is found', () => {
    const { document } = described[revision]
    const check = buildSchemaCheck(document)
    const { value } = document.paths['/api/v1/scan'].get.responses[200].content['application/json'].examples.standard
    for (const wrong of [
      { ...value, more: 1 },
      { ...value, cached: 1 },
      { ...value, url: undefined },
      { ...value, category: 'other' },
    ])
      expect(() => check('ScanResult', JSON.parse(JSON.stringify(wrong)))).toThrow()
  })
})

/** Builds a request from each example of a parameter or body, together with the required parameters only. */
function requestsOf(document: Json): { method: string; url: string; body?: object }[] {
  return listOperations(document).flatMap(({ path, method, operation: { parameters = [], requestBody } }) => {
    const examples = Object.values<Json>(requestBody?.content['application/json'].examples ?? {})
    if (requestBody !== undefined) return examples.map(({ value }) => ({ method: 'POST', url: path, body: value }))
    const inQuery = parameters.filter((one: Json) => one.in === 'query')
    const wordsOf = ({ name, example, schema }: Json): string[] =>
      (schema.enum ?? [example]).map((word: unknown) => `${name}=${encodeURIComponent(String(word))}`)
    const needed = inQuery.filter(({ required }: Json) => required).flatMap((one: Json) => wordsOf(one)[0])
    const others = inQuery.filter(({ required }: Json) => !required).flatMap(wordsOf)
    const queries = ['', ...others].map((other) => [...needed, other].filter((word) => word !== '').join('&'))
    return queries.map((query) => ({ method: method.toUpperCase(), url: query === '' ? path : `${path}?${query}` }))
  })
}

describe('with the built-in rules', () => {
  // The values of the specification. The rules may have more, which clients must accept, but never fewer.
  const CATEGORIES = [
    'ai-builder',
    'website-builder',
    'cms',
    'ecommerce',
    'blog',
    'app-builder',
    'landing-page',
    'course',
    'community',
    'documentation',
    'wiki',
    'static-site',
  ]
  const SITE_TYPES = [
    'marketing',
    'ecommerce',
    'blog',
    'news',
    'docs',
    'saas',
    'portfolio',
    'local-business',
    'landing',
    'link-in-bio',
    'course',
    'event',
    'nonprofit',
    'forum',
    'wiki',
    'app',
    'parked',
    'government',
    'education',
    'directory',
    'reference',
  ]

  test('the closed lists are those of the rules and contain what is specified, and every value of them is valid', async () => {
    const { categories, rules, version } = openOwnRuleset()
    const named = Object.entries(categories.builders).map(([name, { revision1 }]) => [name, revision1 ?? name])
    const siteTypes = rules.filter(({ kind, unnamed }) => kind === 'site-type' && !unnamed).map(({ slug }) => slug)
    const info = {
      version,
      wantedDns: [],
      wantedGlobals: [],
      categories: Object.fromEntries(named),
      siteTypes,
      labels: SAMPLE_RULES.labels,
      catalogue: [],
      summaries: [],
      readRule: () => undefined,
    }
    let change = {}
    const own = await openApp({
      parts: { rules: new CurrentRules(info) },
      scan: async (url) => sampleScan(url, change),
    })
    const listOf = async (url: string, name: string): Promise<string[]> =>
      (await own.call({ url })).body.components.schemas[name]['x-extensible-enum']
    const found = await listOf(PATHS[2], 'BuilderCategory')
    expect(found).toEqual(Object.keys(categories.builders).sort())
    expect(await listOf(PATHS[1], 'BuilderCategory')).toEqual([...new Set(named.map(([, name]) => name))].sort())
    expect(await listOf(PATHS[2], 'SiteType')).toEqual([...siteTypes].sort())
    expect(found).toEqual(expect.arrayContaining(CATEGORIES))
    expect(siteTypes).toEqual(expect.arrayContaining(SITE_TYPES))
    const { secret } = await own.newKey()
    for (const word of [...CATEGORIES, null]) {
      change = { category: word }
      const { body } = await own.call({ url: `/api/v1/scan?url=https://${word}.example.org`, secret })
      expect(body.category).toBe(word)
    }
  })
})

describe('the docs page', () => {
  test('has its own title and icon, and no bar that loads other documents', async () => {
    const { app } = described[2]
    const { text } = await app.call({ url: '/docs' })
    expect(text).toContain('<title>Siteprint API</title>')
    const icons = [...text.matchAll(/<link rel="icon"[^>]*href="([^"]+)"/g)].map(([, path]) => path)
    expect(icons).toEqual(['/docs/static/theme/icon.svg'])
    expect((await app.call({ url: icons[0] })).headers['content-type']).toBe('image/svg+xml')
    const { text: script } = await app.call({ url: '/docs/static/swagger-initializer.js' })
    expect(script).toContain('"layout":"BaseLayout"')
    expect((await app.call({ url: '/docs/json' })).body).toEqual(described[2].document)
  })

  test('uses no file from another host, and each of its own exists', async () => {
    const { app } = described[2]
    const page = await app.call({ url: '/docs' })
    expect([page.status, page.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8'])
    const links = [...page.text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, link]) => link)
    expect(links.length).toBeGreaterThan(4)
    const texts = [page.text]
    for (const link of links) {
      const { pathname, host: where } = new URL(link, 'http://here/docs')
      expect(where).toBe('here')
      const file = await app.call({ url: pathname })
      expect([pathname, file.status]).toEqual([pathname, 200])
      if (pathname.endsWith('initializer.js') || pathname.endsWith('.css')) texts.push(file.text)
    }
    for (const text of texts)
      expect(text).not.toMatch(/(?:url\(|import |src=|href=)["']?(?:https?:)?\/\/(?!www\.w3\.org)/)
    // The same document as /openapi.json, under a path that also works behind a proxy that adds a prefix.
    expect(texts.join('')).toContain("url: resolveUrl('./json')")
    expect(page.headers['content-security-policy']).toMatch(/^default-src 'none'; .*connect-src 'self'/)
    expect(page.headers['content-security-policy']).not.toMatch(/https?:|\*/)
  })
})
