import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { beforeAll, describe, expect, test } from 'vitest'
import { projectFolder } from '../../src/rules/built.ts'
import { openPortal, type TestPortal } from '../portal/portal-fixture.ts'
import { openApp } from './app-fixture.ts'

/** Path or beginning of a path → `Cache-Control`, from the table of the document. */
const EXCEPTIONS = new Map(
  [...readDocument().matchAll(/^\|[^|]*?`(\/[^`|]+?)…?`[^|]*\| `([^`]+)`/gm)].map(([, path, value]) => [path, value]),
)

function readDocument(): string {
  const text = readFileSync(join(projectFolder(), 'docs', 'portal.md'), 'utf8')
  return /\*\*Cache-Control\.\*\*.*?\n\n(?=\*\*)/s.exec(text)?.[0] ?? ''
}

/** Lists every GET route with a concrete path: one for each row of the tree that the router prints. */
function listPaths(fastify: FastifyInstance): string[] {
  const paths: string[] = []
  const parents: string[] = []
  for (const line of fastify.printRoutes({ commonPrefix: false }).split('\n')) {
    const [, indent, path, methods] = /^([│├└─\s]*)(\S*) \(([^)]*)\)/.exec(line) ?? []
    if (indent === undefined) continue
    const depth = indent.length / 4
    parents.length = depth
    parents[depth] = (parents[depth - 1] ?? '') + path
    if (methods.split(', ').includes('GET')) paths.push(parents[depth])
  }
  // The router prints the route /docs/static/* as /docs/*.
  return paths.map((path) =>
    path.replace(/:\w+/g, 'x').replace('/docs/*', '/docs/static/*').replace('*', 'swagger-ui.css'),
  )
}

/** The header that the documents promise. Only successful responses are exceptions. */
function findExpected(path: string, { status, hasTag }: { readonly status: number; readonly hasTag: boolean }): string {
  const isGood = status === 200 || status === 304
  const found = [...EXCEPTIONS].find(([begin]) => path.startsWith(begin))
  const isException = isGood && found !== undefined && (!path.startsWith('/docs/') || hasTag)
  return isException ? found[1] : 'no-store'
}

describe('Cache-Control is as documented', () => {
  let portal: TestPortal
  let secret: string
  let paths: string[]
  beforeAll(async () => {
    portal = await openPortal()
    secret = (await portal.newKey()).secret
    paths = listPaths(portal.fastify)
  })

  test('the document lists exceptions, and each of them is a route', () => {
    expect([...EXCEPTIONS.keys()]).toEqual([
      '/assets/',
      '/favicon.ico',
      '/sitemap.xml',
      '/catalogue/suggestions',
      '/robots.txt',
      '/docs/static/',
      '/api/v1/catalogue',
    ])
    for (const begin of EXCEPTIONS.keys()) expect(paths.filter((path) => path.startsWith(begin))).not.toEqual([])
    expect(paths.length).toBeGreaterThan(30)
  })

  test.each([
    ['with a key, in a browser', 'text/html', true],
    ['without a key, for a program', '*/*', false],
  ])('for every route and every method, %s', async (_, accept, hasKey) => {
    const wrong: unknown[] = []
    const statuses = new Set<number>()
    for (const path of [
      ...paths,
      '/nothing',
      '/api/v1/nothing',
      '/api/v1/me/',
      '/docs/static/nothing.js',
      '/docs/static/index.html',
      '/%',
    ])
      for (const method of ['GET', 'HEAD', 'POST', 'DELETE', 'OPTIONS'] as const) {
        const authorization = hasKey && { authorization: `Bearer ${secret}` }
        const { statusCode: status, headers } = await portal.fastify.inject({
          method,
          url: path.replace('/api/v1/scan', '/api/v1/scan?url=https://example.org'),
          headers: { accept, ...authorization },
        })
        statuses.add(status)
        const expected = findExpected(path, { status, hasTag: headers.etag !== undefined })
        const isBodiless = method === 'OPTIONS' || method === 'POST' || method === 'DELETE'
        const wanted = isBodiless ? 'no-store' : expected
        if (headers['cache-control'] !== wanted) wrong.push([method, path, status, headers['cache-control'], wanted])
      }
    expect(wrong).toEqual([])
    expect([...statuses]).toEqual(
      expect.arrayContaining([200, 204, 302, 303, 308, 404, 405].filter((one) => hasKey || one !== 302)),
    )
  })

  test('of a file that the browser already has: 304', async () => {
    for (const path of ['/docs/static/swagger-ui.css', '/api/v1/catalogue']) {
      const headers = { authorization: `Bearer ${secret}` }
      const { headers: first } = await portal.fastify.inject({ url: path, headers })
      const again = await portal.fastify.inject({
        url: path,
        headers: { ...headers, 'if-none-match': String(first.etag) },
      })
      expect([path, again.statusCode, again.headers['cache-control']]).toEqual([
        path,
        304,
        EXCEPTIONS.get(path) ?? 'no-cache',
      ])
    }
  })

  test('without the portal, of the start page, which is a redirect', async () => {
    const { statusCode, headers } = await (await openApp()).fastify.inject('/')
    expect([statusCode, headers['cache-control']]).toEqual([302, 'no-store'])
  })
})
