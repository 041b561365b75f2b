import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { openPageDetector } from '../../src/detector/detector.ts'
import {
  buildPage,
  detect,
  type PageDetector,
  type PageInput,
  type Ruleset,
  RulesetError,
  toResult,
} from '../../src/index.ts'
import { smallProject } from '../support/built-project.ts'
import { builder, writeFolder } from '../support/rule-folder.ts'
import { builtWorker, loadSmallRuleset } from './built-worker.ts'
import { trapRules, trapWorker } from './trap-rules.ts'

let smallWorker: string
let withTraps: string
let traps: ReturnType<typeof trapRules>
beforeAll(async () => {
  smallWorker = builtWorker(smallProject())
  withTraps = await trapWorker()
  traps = trapRules()
})
const open: PageDetector[] = []
afterEach(async () => {
  for (const detector of open.splice(0)) await detector.close()
})
async function openTrap(): Promise<PageDetector> {
  const detector = await openPageDetector({ ...traps, worker: withTraps, threads: 1, timeoutMs: 600_000 })
  open.push(detector)
  return detector
}

const HTML = '<title>Größe</title><meta name="generator" content="WordPress 6.6">'
describe('the verdict is equal to that of detect', () => {
  let ruleset: Ruleset
  let detector: PageDetector
  beforeAll(async () => {
    ruleset = await loadSmallRuleset(traps)
    detector = await openPageDetector({ ...traps, worker: withTraps, threads: 1, timeoutMs: 600_000 })
  })
  afterAll(() => detector.close())
  test.each<[name: string, headers: () => PageInput['headers'], html: string | Uint8Array]>([
    ['headers by name', () => ({ Server: 'brick', 'set-cookie': ['a=b', 'c=d'] }), HTML],
    ['pairs', () => [['server', 'brick']], HTML],
    ['a Headers', () => new Headers({ server: 'brick' }), new TextEncoder().encode(HTML)],
    ['a Map', () => new Map([['server', 'brick']]), Buffer.from(HTML)],
    ['a Buffer with memory of its own', () => [['server', 'brick']], Buffer.alloc(Buffer.byteLength(HTML), HTML)],
    [
      'a generator',
      function* () {
        yield ['server', 'brick'] as const
      },
      HTML,
    ],
    ['no headers', () => null, ''],
  ])('%s', async (_, headers, html) => {
    const input = { url: 'https://acme.com/', status: 200, html }
    const { length } = html
    const verdict = await detector.detect({ ...input, headers: headers() })
    expect(html.length, 'the bytes of the caller are not transferred').toBe(length)
    const expected = detect(ruleset, buildPage({ ...input, headers: headers() }))
    expect(toResult(verdict, ['evidence', 'warnings'])).toEqual(toResult(expected, ['evidence', 'warnings']))
    const [builder, technologies] = html.length > 0 ? ['WordPress', ['Acme', 'Brick', 'WordPress']] : [null, ['Acme']]
    expect(verdict).toMatchObject({ builder, technologies })
  })
})

test('bytes of scripts and style sheets reach the worker, and the caller keeps them', async () => {
  const detector = await openTrap()
  const bodies = ['/a.js', '/b.js'].map((url) => ({ url, text: Buffer.from('let a') }))
  const verdict = await detector.detect({
    html: '<script src=/a.js></script>',
    scripts: bodies.slice(0, 1),
    styles: bodies.slice(1),
  })
  await detector.detect({ html: '<script src=/a.js></script>', scripts: [] }).then(({ warnings }) => {
    expect([verdict.warnings, warnings]).toEqual([[], ['the only script of the site was not read']])
  })
  expect(bodies.map(({ text }) => `${text}`)).toEqual(['let a', 'let a'])
})

test('an invalid input throws the TypeError of buildPage', async () => {
  const inputs = [
    { url: 'ftp://acme.com/' },
    { html: 7 },
    { html: () => '' },
    { headers: { age: 1 } },
    { headers: [['age']] },
    { dns: { a: 'x' } },
  ] as unknown as PageInput[]
  const findMessage = (run: () => unknown): Promise<unknown> =>
    Promise.resolve()
      .then(run)
      .catch((error) => (error instanceof TypeError ? error.message : error))
  const detector = await openTrap()
  const messages = await Promise.all(inputs.map((input) => findMessage(() => detector.detect(input))))
  expect(messages).toEqual(await Promise.all(inputs.map((input) => findMessage(() => buildPage(input)))))
  expect(messages.every((message) => typeof message === 'string')).toBe(true)
})

test('invalid rules throw the error of loadRuleset', async () => {
  const folder = writeFolder({ 'builders/acme.yaml': builder('{ scirpt: /a.js }') })
  const options = { folders: [folder] }
  const expected = await loadSmallRuleset(options).catch((error: unknown) => error)
  expect(expected).toBeInstanceOf(RulesetError)
  await expect(openPageDetector({ ...options, worker: smallWorker, threads: 1 })).rejects.toEqual(expected)
})
