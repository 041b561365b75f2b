import { Validator } from '@seriousme/openapi-schema-validator'
import { beforeAll, describe, expect, test } from 'vitest'
import { API_ERRORS } from '../../src/errors.ts'
import { loadRuleset } from '../../src/index.ts'
import { SAMPLE_RULES, sampleScan } from '../support/sample-scan.ts'
import { onePlan, openApp, type TestApp } from './app-fixture.ts'
import { buildSchemaCheck } from './check-response.ts'

// biome-ignore lint/suspicious/noExplicitAny: a JSON document.
type Json = any

let app: TestApp
let document: Json
beforeAll(async () => {
  app = await openApp({ settings: onePlan(1000, 1000) })
  document = (await app.call({ url: '/openapi.json' })).body
})

describe('the document', () => {
  test('is valid OpenAPI 3.1', async () => {
    const validator = new Validator()
    const { valid, errors } = await validator.validate(structuredClone(document))
    expect([valid, errors]).toEqual([true, undefined])
    expect([document.openapi, document.info.version]).toEqual(['3.1.0', '1.2.3'])
  })

  test('every reference resolves', () => {
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)].map(([, path]) => path)
    expect(references.length).toBeGreaterThan(10)
    for (const path of references)
      expect(
        path.split('/').reduce<Json>((at, step) => at?.[step], document),
        path,
      ).toBeDefined()
  })

  test('has exactly the specified endpoints and responses', () => {
    const found = Object.entries<Json>(document.paths).flatMap(([path, methods]) =>
      Object.entries<Json>(methods).map(([method, { responses }]) => [method, path, Object.keys(responses).join()]),
    )
    expect(found.sort()).toEqual([
      ['get', '/api/v1/catalogue', '200,304,400,401,404,405,429,500,503'],
      ['get', '/api/v1/me', '200,400,401,405,429,500,503'],
      ['get', '/api/v1/scan', '200,400,401,405,429,500,503'],
      ['get', '/api/v1/usage', '200,400,401,404,405,429,500,503'],
      ['post', '/api/v1/scan', '200,400,401,405,429,500,503'],
    ])
  })

  test('only 429 has Retry-After, every response has the rate-limit headers', () => {
    for (const methods of Object.values<Json>(document.paths))
      for (const { responses } of Object.values<Json>(methods))
        for (const [status, { headers }] of Object.entries<Json>(responses)) {
          expect(Object.keys(headers).includes('Retry-After')).toBe(status === '429')
          for (const name of ['Limit', 'Remaining', 'Reset']) expect(headers).toHaveProperty(`X-RateLimit-${name}`)
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
    expect(document.components.schemas.Error.properties.code.enum).toEqual(Object.keys(API_ERRORS))
  })
})

describe('its examples', () => {
  test.each(['ScanResult', 'KeyInfo', 'KeyUsage', 'Catalogue', 'Error'] as const)(
    'those of %s match the schema',
    (name) => {
      for (const example of document.components.schemas[name].examples ?? []) buildSchemaCheck(document)(name, example)
    },
  )

  test('every example request is answered as documented', async () => {
    const { secret } = await app.newKey({ plan: 'free' })
    const requests = requestsOf(document)
    expect(requests.length).toBeGreaterThan(4)
    for (const request of requests) {
      const answer = await app.call({ ...request, secret })
      expect([request, answer.status]).toEqual([request, 200])
    }
  })

  test('a response that differs from the schema is found', () => {
    const check = buildSchemaCheck(document)
    const [example] = document.components.schemas.ScanResult.examples
    for (const wrong of [
      { ...example, more: 1 },
      { ...example, cached: 1 },
      { ...example, url: undefined },
    ])
      expect(() => check('ScanResult', JSON.parse(JSON.stringify(wrong)))).toThrow()
  })
})

/** Builds a request from each example of a parameter or body, together with the required parameters only. */
function requestsOf({ paths }: Json): { method: string; url: string; body?: object }[] {
  return Object.entries<Json>(paths).flatMap(([path, methods]) =>
    Object.entries<Json>(methods).flatMap(([method, { parameters = [], requestBody }]) => {
      const bodies: object[] = Object.values<Json>(requestBody?.content ?? {}).map(({ example }) => example)
      if (requestBody !== undefined) return bodies.map((body) => ({ method: method.toUpperCase(), url: path, body }))
      const inQuery = parameters.filter((one: Json) => one.in === 'query')
      const wordsOf = ({ name, example, schema }: Json): string[] =>
        (schema.enum ?? [example]).map((word: string) => `${name}=${encodeURIComponent(word)}`)
      const needed = inQuery.filter(({ required }: Json) => required).flatMap((one: Json) => wordsOf(one)[0])
      const others = inQuery.filter(({ required }: Json) => !required).flatMap(wordsOf)
      const queries = ['', ...others].map((other) => [...needed, other].filter((word) => word !== '').join('&'))
      return queries.map((query) => ({ method: method.toUpperCase(), url: query === '' ? path : `${path}?${query}` }))
    }),
  )
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
    const { categories, rules, version } = await loadRuleset()
    const named = Object.entries(categories.builders).map(([name, { revision1 }]) => [name, revision1 ?? name])
    const siteTypes = rules.filter(({ kind, unnamed }) => kind === 'site-type' && !unnamed).map(({ slug }) => slug)
    const info = {
      version,
      wantedDns: [],
      categories: Object.fromEntries(named),
      siteTypes,
      labels: SAMPLE_RULES.labels,
      catalogue: [],
    }
    let change = {}
    const own = await openApp({ parts: { rules: info }, scan: async (url) => sampleScan(url, change) })
    const { schemas } = (await own.call({ url: '/openapi.json' })).body.components
    const { category, siteType } = schemas.ScanResult.properties
    expect([...category.enum].sort()).toEqual([...Object.keys(categories.builders), null, 'visual-builder'].sort())
    expect([...siteType.enum].sort()).toEqual([...siteTypes, null].sort())
    expect(category.enum).toEqual(expect.arrayContaining(CATEGORIES))
    expect(siteType.enum).toEqual(expect.arrayContaining(SITE_TYPES))
    const { secret } = await own.newKey()
    for (const word of [...CATEGORIES, null]) {
      change = { category: word }
      const { body } = await own.call({ url: `/api/v1/scan?url=https://${word}.example.org`, secret })
      expect(body.category).toBe(word)
    }
  })
})

describe('the docs page', () => {
  test('uses no file from another host, and each of its own exists', async () => {
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
    expect(texts.join('')).toContain('/openapi.json')
    expect(page.headers['content-security-policy']).toMatch(/^default-src 'none'; .*connect-src 'self'/)
    expect(page.headers['content-security-policy']).not.toMatch(/https?:|\*/)
  })
})
