import { createRequire } from 'node:module'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { detectors } from '../../plugins/index.ts'
import { openPool, type PoolOptions } from '../../src/detector/worker-pool.ts'
import { SetupError } from '../../src/errors.ts'
import type { RulesetError } from '../../src/index.ts'
import { openRuleset } from '../../src/rules/load/open-ruleset.ts'
import { builtProject, smallProject } from '../support/built-project.ts'
import { TEST, technology, writeFolder } from '../support/rule-folder.ts'
import { builtWorker } from './built-worker.ts'

const require = createRequire(import.meta.url)
let smallWorker: string
beforeAll(() => {
  smallWorker = builtWorker(smallProject())
})

/** The compiled modules of the small project: on an error, `openPool` loads the rules of its own project on this thread. */
interface SmallModules {
  readonly openPool: typeof openPool
  readonly RulesetError: typeof RulesetError
  readonly SetupError: typeof SetupError
}

function loadSmallModules(): SmallModules {
  const read = (name: string): object => require(join(smallProject().folder, 'dist', 'src', `${name}.js`))
  return { ...read('detector/worker-pool'), ...read('index'), ...read('errors') } as SmallModules
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
      loadMs: 500,
    })
    const sentence = 'the rules were not loaded within 500 ms: check the detectors for an endless loop'
    await expect(pool.ready).rejects.toEqual(new SetupError(sentence))
    await pool.close()
  })

  test('describes the rules', async () => {
    const { folder } = builtProject()
    const pool = openPool({ worker: builtWorker(), threads: 1 })
    const ruleset = openRuleset({
      own: join(folder, 'rules'),
      built: join(folder, 'dist', 'ruleset.bin'),
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
