import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, test } from 'vitest'
import { DetectorError } from '../../plugins/load.ts'
import { SetupError } from '../../src/errors.ts'
import { loadRuleset, RulesetError } from '../../src/index.ts'
import { openPool, type PoolOptions } from '../../src/scan/worker-pool.ts'
import { smallProject } from '../support/built-project.ts'
import { TEST, technology, writeFolder } from '../support/rule-folder.ts'
import { builtWorker } from './built-worker.ts'
import { trapRules } from './trap-rules.ts'

let worker: string
let smallWorker: string
beforeAll(() => {
  worker = builtWorker()
  smallWorker = builtWorker(smallProject())
})

describe('ready', () => {
  test('fails in time where a detector never ends', async () => {
    const root = writeFolder({
      'loop.mjs': `export default { key: 'loop', about: 'Nothing.', family: 'content', word: 'literal', *read() { for (;;); } }`,
      'rules/technologies/javascript-library/loop.yaml': technology('loop: harmless'),
      'rules/technologies/javascript-library/loop.test.yaml': TEST,
    })
    const pool = openPool({
      worker: smallWorker,
      folders: [`${root}/rules`],
      detectors: [`${root}/loop.mjs`],
      loadMs: 5000,
    })
    const sentence = 'the rules were not ready in 5000 ms: look for an endless loop in a detector'
    await expect(pool.ready).rejects.toEqual(new SetupError(sentence))
    await pool.close()
  })

  test('tells of the rules', async () => {
    const pool = openPool({ worker, threads: 2 })
    const ruleset = await loadRuleset()
    const info = await pool.ready
    expect(info).toMatchObject({ version: ruleset.version, wantedDns: ruleset.wanted('dns') })
    expect(info.categories).toMatchObject({ 'website-builder': 'visual-builder', cms: 'cms' })
    expect(info.siteTypes).toHaveLength(17)
    await pool.close()
  })

  test.each<[name: string, options: () => PoolOptions, error: object]>([
    [
      'rules with a fault',
      () => ({ folders: [writeFolder({ 'builders/acme.yaml': 'name: Acme\n' })] }),
      expect.objectContaining({
        constructor: RulesetError,
        findings: expect.arrayContaining([expect.objectContaining({ code: 'missing-key', line: 1 })]),
      }),
    ],
    [
      'a detector that is none',
      () => ({ detectors: [`${writeFolder({ 'bad.mjs': 'export const key = 1' })}/bad.mjs`] }),
      expect.objectContaining({ constructor: DetectorError, message: expect.stringContaining('no default export') }),
    ],
    [
      'a worker that is none',
      () => ({ worker: `${writeFolder({})}/none.js` }),
      expect.objectContaining({ reason: 'internal', cause: expect.objectContaining({ code: 'ERR_MODULE_NOT_FOUND' }) }),
    ],
    [
      'a worker without memory',
      () => ({ maxOldMb: 4 }),
      expect.objectContaining({
        reason: 'internal',
        cause: expect.objectContaining({ code: 'ERR_WORKER_OUT_OF_MEMORY' }),
      }),
    ],
  ])('%s is told as what it is, to those who wait as `internal`', async (_, options, error) => {
    const pool = openPool({ worker: smallWorker, threads: 2, ...options() })
    const page = expect(pool.match({ html: '' })).rejects.toMatchObject({ reason: 'internal' })
    await expect(pool.ready).rejects.toEqual(error)
    await page
    await expect(pool.match({ html: '' })).rejects.toMatchObject({ reason: 'internal' })
    await pool.close()
  })
})

/** What a script prints that runs alone, with `openPool` of the build and the options of a pool that can be harmed. */
async function runScript(lines: string): Promise<unknown> {
  const pool = pathToFileURL(join(smallWorker, '..', 'worker-pool.js')).href
  const options = JSON.stringify({ ...trapRules(), threads: 2 })
  const file = join(
    writeFolder({ 'script.mjs': `import { openPool } from '${pool}'\nconst options = ${options}\n${lines}` }),
    'script.mjs',
  )
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [file], { timeout: 30_000 })
  expect(stderr).toBe('')
  return JSON.parse(stdout)
}

/** Pages end with their reasons when the pool closes; then nothing is left but the pipes to this test. */
const CLOSE = `
import { setImmediate as turn } from 'node:timers/promises'
const ended = pages.map((html) => pool.match({ html }).catch(({ reason }) => reason))
const held = () => process.getActiveResourcesInfo().filter((kind) => kind !== 'PipeWrap')
const before = held().length
await Promise.all([pool.close(), pool.close()])
for (const until = Date.now() + 5000; held().length > 0 && Date.now() < until; ) await turn() // Ports close when their thread has.
const left = held()
const late = await pool.match({ html: '' }).catch(({ reason }) => reason)
console.log(JSON.stringify({ ended: await Promise.all(ended), left, late, seen: pages.length === 0 || before > 0, now: [pool.running, pool.waiting] }))`

describe('a process of its own', () => {
  test.each<[when: string, lines: string, pages: readonly string[]]>([
    ['nothing is under way', 'await pool.ready', []],
    ['pages run and wait', 'await pool.ready', ['loop for ever', 'loop for ever', 'harmless', 'harmless']],
    ['the rules are loading', 'pool.ready.catch(() => {})', ['harmless']],
    [
      'a page was killed',
      "await pool.match({ html: 'loop for ever' }).catch(() => {})\nawait pool.match({ html: 'harmless' })",
      [],
    ],
  ])('closing when %s leaves no thread and no timer', async (_, lines, pages) => {
    const told = await runScript(
      `const pages = ${JSON.stringify(pages)}\nconst pool = openPool({ ...options, matchMs: 500, maxWaitMs: 60000 })\n${lines}${CLOSE}`,
    )
    const ended = pages.map(() => 'internal')
    expect(told).toEqual({ ended, left: [], late: 'internal', seen: true, now: [0, 0] })
  })

  test('ends by itself when no page is under way', async () => {
    const lines = "const pool = openPool(options)\nconst { verdict } = await pool.match({ url: 'https://acme.com/' })"
    expect(await runScript(`${lines}\nconsole.log(JSON.stringify(verdict.technologies))`)).toEqual(['Acme'])
  })
})
