import { afterEach, expect, test } from 'vitest'
import { buildPage } from '../../src/engine/page/page.ts'
import { detect } from '../../src/engine/verdict/detect.ts'
import { fetchSite } from '../../src/fetch/fetch.ts'
import { DEFAULT_POLICY, type Policy } from '../../src/fetch/policy.ts'
import { parseTarget } from '../../src/fetch/target.ts'
import { writeGoogle } from '../engine/support/containers.ts'
import { openOwnRuleset } from '../support/own-ruleset.ts'
import { type Answering, createResolver, openScene, type Scene } from './scene.ts'

const SITE = 'http://quietharbour.com/'
const SNIPPET = `<script>(function(w,d,s,l,i){w[l].push({'gtm.start':1,event:'gtm.js'});j.src='http://www.googletagmanager.com/gtm.js?id='+i;})(window,document,'script','dataLayer','GTM-0A1B2C');</script>`
/** No test waits until one of these limits, so a scan that ignores the end of a container does not end in time. */
const NEVER_MS = 300_000
const policy: Policy = { ...DEFAULT_POLICY, deadlineMs: NEVER_MS, bodiesAfterPageMs: NEVER_MS }

const scenes: Scene[] = []
afterEach(async () => {
  await Promise.all(scenes.splice(0).map((scene) => scene.close()))
})

/** Scans a site in a scene in which every host is local, and returns what the own rules find. */
async function scan(answer: Answering, bounds: Partial<Policy> = {}) {
  const scene = await openScene(answer)
  scenes.push(scene)
  const options = { resolver: createResolver(), policy: { ...policy, ...bounds }, evidence: [], dial: scene.dial }
  const site = await fetchSite(parseTarget(SITE, policy), options as Parameters<typeof fetchSite>[1])
  const { url, status, headers, html, scripts, styles } = site
  return {
    requests: scene.requests,
    verdict: detect(openOwnRuleset(), buildPage({ url, status, headers, html, scripts, styles })),
  }
}

/** Answers with the page and, at Google's host (by http, because the certificate of the scene is for other names), with what `container` sends. */
const serve =
  (html: string, container: Answering): Answering =>
  (url, response, request) => {
    if (url.startsWith('http://www.googletagmanager.com/')) container(url, response, request)
    else response.setHeader('content-type', 'text/html').end(`<!doctype html><title>Quiet Harbour</title>${html}`)
  }
const hotjar: Answering = (_, response) =>
  void response.setHeader('content-type', 'application/javascript').end(writeGoogle({ tags: [{ function: '__hjtc' }] }))

test('a container that only an inline snippet names is found in one scan', async () => {
  const { verdict, requests } = await scan(serve(SNIPPET, hotjar))
  expect(requests).toEqual([SITE, 'http://www.googletagmanager.com/gtm.js?id=GTM-0A1B2C'])
  expect(verdict.technologies).toContain('Hotjar')
  const evidence = verdict.evidence.find(({ slug }) => slug === 'hotjar')
  expect(evidence?.clauses).toMatchObject([{ texts: ['__hjtc'], through: ['Google Tag Manager GTM-0A1B2C'] }])
})

test.each<[name: string, container: Answering, warning: string]>([
  ['that does not exist', (_, response) => void response.writeHead(404).end(), 'status 404'],
  [
    'that is a page',
    (_, response) => void response.setHeader('content-type', 'text/html').end('<p>'),
    'an HTML page instead of the file',
  ],
])('a container %s is a warning', async (_, container, warning) => {
  const { verdict } = await scan(serve(SNIPPET, container))
  expect(verdict.warnings).toEqual([`1 tag container was not read: ${warning}`])
  expect(verdict.technologies).toContain('Google Tag Manager')
})

test('without scripts no container is requested', async () => {
  const { requests } = await scan(serve(SNIPPET, hotjar), { fetchesBodies: false })
  expect(requests).toEqual([SITE])
})

test('a container is requested while a script has not been answered yet', async () => {
  let answerContainer = (): void => {}
  const answered = new Promise<void>((resolve) => {
    answerContainer = resolve
  })
  const page = serve(`<script src=/main.js></script>${SNIPPET}`, (...all) => {
    hotjar(...all)
    answerContainer()
  })
  const { verdict } = await scan((url, response, request) => {
    if (!url.endsWith('/main.js')) page(url, response, request)
    else void answered.then(() => response.setHeader('content-type', 'text/javascript').end('let a'))
  })
  expect(verdict.technologies).toContain('Hotjar')
})
