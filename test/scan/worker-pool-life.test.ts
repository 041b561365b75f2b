import { execFile } from 'node:child_process'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, test } from 'vitest'
import { detectors } from '../../plugins/index.ts'
import { SetupError } from '../../src/errors.ts'
import type { RulesetError } from '../../src/index.ts'
import { openRuleset } from '../../src/rules/open-ruleset.ts'
import { openPool, type PoolOptions } from '../../src/scan/worker-pool.ts'
import { builtProject, smallProject } from '../support/built-project.ts'
import { NODE_ARGS } from '../support/node-args.ts'
import { TEST, technology, writeFolder } from '../support/rule-folder.ts'
import { builtWorker } from './built-worker.ts'
import { trapRules, trapWorker } from './trap-rules.ts'

const require = createRequire(import.meta.url)
let smallWorker: string
let withTraps: string
beforeAll(async () => {
  smallWorker = builtWorker(smallProject())
  withTraps = await trapWorker()
})

/** The compiled modules of the small project: on an error, `openPool` loads the rules of its own project on this thread. */
interface SmallModules {
  readonly openPool: typeof openPool
  readonly RulesetError: typeof RulesetError
  readonly SetupError: typeof SetupError
}

function loadSmallModules(): SmallModules {
  const read = (name: string): object => require(join(smallProject().folder, 'dist', 'src', `${name}.js`))
  return { ...read('scan/worker-pool'), ...read('index'), ...read('errors') } as SmallModules
}

describe('ready', () => {
  test('fails at the time limit when a detector never returns', async () => {
    const root = writeFolder({
      'loop.mjs': `export default { key: 'loop', about: 'Nothing.', family: 'content', word: 'literal', *read() { for (;;); } }`,
      'rules/technologies/javascript-library/loop.yaml': technology('loop: harmless'),
      'rules/technologies/javascript-library/loop.test.yaml': TEST,
    })
    const pool = openPool({
      worker: smallWorker,
      folders: [`${root}/rules`],
      detectors: [`${root}/loop.mjs`],
      threads: 1,
      spares: 0,
      loadMs: 2000,
    })
    const sentence = 'the rules were not loaded within 2000 ms: check the detectors for an endless loop'
    await expect(pool.ready).rejects.toEqual(new SetupError(sentence))
    await pool.close()
  })

  test('describes the rules', async () => {
    const { folder } = builtProject()
    const pool = openPool({ worker: builtWorker(), threads: 1 })
    const ruleset = openRuleset({
      own: join(folder, 'rules'),
      built: join(folder, 'dist', 'ruleset.json'),
      detectors,
    })
    const info = await pool.ready
    expect(info).toMatchObject({ version: ruleset.version, wantedDns: ruleset.wanted('dns') })
    expect(info.categories).toMatchObject({ 'website-builder': 'visual-builder', cms: 'cms' })
    expect(info.siteTypes).toHaveLength(21)
    await pool.close()
  })

  test.each<[name: string, options: () => PoolOptions, error: (modules: SmallModules) => object]>([
    [
      'invalid rules',
      () => ({ folders: [writeFolder({ 'builders/acme.yaml': 'name: Acme\n' })] }),
      (modules) => ({
        constructor: modules.RulesetError,
        findings: expect.arrayContaining([expect.objectContaining({ code: 'missing-key', line: 1 })]),
      }),
    ],
    [
      'an invalid detector',
      () => ({ detectors: [`${writeFolder({ 'bad.mjs': 'export const key = 1' })}/bad.mjs`] }),
      (modules) => ({ constructor: modules.SetupError, message: expect.stringContaining('no default export') }),
    ],
    [
      'a missing worker file',
      () => ({ worker: `${writeFolder({})}/none.js` }),
      () => ({ reason: 'internal', cause: expect.objectContaining({ code: 'ERR_MODULE_NOT_FOUND' }) }),
    ],
    [
      'a worker with too little memory',
      () => ({ maxOldMb: 4 }),
      () => ({ reason: 'internal', cause: expect.objectContaining({ code: 'ERR_WORKER_OUT_OF_MEMORY' }) }),
    ],
  ])('%s: ready rejects with the original error, waiting pages with `internal`', async (_, options, error) => {
    const modules = loadSmallModules()
    const pool = modules.openPool({ threads: 1, ...options() })
    const page = expect(pool.match({ html: '' })).rejects.toMatchObject({ reason: 'internal' })
    await expect(pool.ready).rejects.toEqual(expect.objectContaining(error(modules)))
    await page
    await expect(pool.match({ html: '' })).rejects.toMatchObject({ reason: 'internal' })
    await pool.close()
  })
})

/** Runs a script in a separate process, with `openPool` of the build and the trap rules. @returns what it prints as JSON */
async function runScript(lines: string): Promise<unknown> {
  const pool = pathToFileURL(join(withTraps, '..', 'worker-pool.js')).href
  const options = JSON.stringify({ ...trapRules(), threads: 2 })
  const file = join(
    writeFolder({ 'script.mjs': `import { openPool } from '${pool}'\nconst options = ${options}\n${lines}` }),
    'script.mjs',
  )
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [...NODE_ARGS, file], { timeout: 30_000 })
  expect(stderr).toBe('')
  return JSON.parse(stdout)
}

/** Closes the pool and prints the outcome of its pages, and the open resources except the pipes to this test. */
const CLOSE = `
import { setImmediate as turn } from 'node:timers/promises'
const ended = pages.map((html) => pool.match({ html }).catch(({ reason }) => reason))
const held = () => process.getActiveResourcesInfo().filter((kind) => kind !== 'PipeWrap')
const before = held().length
await Promise.all([pool.close(), pool.close()])
for (const until = Date.now() + 5000; held().length > 0 && Date.now() < until; ) await turn() // Ports close after their thread has exited.
const left = held()
const late = await pool.match({ html: '' }).catch(({ reason }) => reason)
console.log(JSON.stringify({ ended: await Promise.all(ended), left, late, seen: pages.length === 0 || before > 0, now: [pool.running, pool.waiting] }))`

describe('in a separate process', () => {
  test.each<[when: string, lines: string, pages: readonly string[]]>([
    ['it is idle', 'await pool.ready', []],
    ['pages run and wait', 'await pool.ready', ['loop for ever', 'loop for ever', 'harmless', 'harmless']],
    ['the rules are loading', 'pool.ready.catch(() => {})', ['harmless']],
    [
      'a page was killed',
      "await pool.match({ html: 'loop for ever' }).catch(() => {})\nawait pool.match({ html: 'harmless' })",
      [],
    ],
  ])('closing when %s leaves no thread and no timer', async (_, lines, pages) => {
    const output = await runScript(
      `const pages = ${JSON.stringify(pages)}\nconst pool = openPool({ ...options, matchMs: 500, maxWaitMs: 60000 })\n${lines}${CLOSE}`,
    )
    const ended = pages.map(() => 'internal')
    expect(output).toEqual({ ended, left: [], late: 'internal', seen: true, now: [0, 0] })
  })

  test('the process exits while the pool is idle', async () => {
    const lines = "const pool = openPool(options)\nconst { verdict } = await pool.match({ url: 'https://acme.com/' })"
    expect(await runScript(`${lines}\nconsole.log(JSON.stringify(verdict.technologies))`)).toEqual(['Acme'])
  })
})
