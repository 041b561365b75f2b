import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { hashSecret } from '../../src/keys/key.ts'
import { openStore } from '../../src/store/open/open-store.ts'
import { type Outcome, smallProject } from '../support/built-project.ts'
import { writeFolder } from '../support/rule-folder.ts'
import { type Env, KEY_PEPPER } from './store-scene.ts'

// service.stores.test.ts contains what is the same on both stores.
const folder = writeFolder({})
const EMBEDDED: Env = { DATA_DIR: join(folder, 'data') }

const service = (args: readonly string[], env: Env = EMBEDDED): Promise<Outcome> =>
  smallProject().run('service', args, { env })
const createKey = (env: Env): Promise<Outcome> =>
  smallProject().run('keys', ['create', '--name', 'n', '--email', 'e@a.example', '--plan', 'free'], { env })

describe('a backup', () => {
  test('can be used as a DATA_DIR', async () => {
    const { stdout } = await createKey(EMBEDDED)
    const target = join(folder, 'backup', 'of-today')
    const stderr = `Copied the store and its secrets to ${target}.\n`
    expect(await service(['backup', target])).toEqual({ code: 0, stdout: '', stderr })
    expect(readdirSync(target).sort()).toEqual(['pepper', 'siteprint.db'])
    const { store, pepper } = await openStore(
      { dataDir: target, mongodbUrl: null, keyPepper: null },
      { role: 'server' },
    )
    expect(await store.keys.findKey(hashSecret(stdout.trimEnd(), pepper))).toMatchObject({ email: 'e@a.example' })
    await store.close()
  })

  test('does not contain KEY_PEPPER, which is reported', async () => {
    const env = { DATA_DIR: join(folder, 'peppered'), KEY_PEPPER }
    await createKey(env)
    const target = join(folder, 'without')
    const stderr = `Copied the store without KEY_PEPPER to ${target}.\n`
    expect(await service(['backup', target], env)).toEqual({ code: 0, stdout: '', stderr })
    expect(readdirSync(target)).toEqual(['siteprint.db'])
  })

  test.each<[string, Env, string, string]>([
    ['to a folder with a store', EMBEDDED, 'data', 'already contains a pepper: choose another folder'],
    ['without a store', { DATA_DIR: join(folder, 'none') }, 'new', 'set DATA_DIR to the data folder of the server'],
    [
      'of MongoDB',
      { MONGODB_URL: 'mongodb://127.0.0.1:9/x', KEY_PEPPER },
      'new',
      'MongoDB is backed up with its own tools: run mongodump',
    ],
  ])('%s is rejected', async (_, env, target, sentence) => {
    if (env === EMBEDDED) await createKey(EMBEDDED)
    const { code, stdout, stderr } = await service(['backup', join(folder, target)], env)
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toContain(sentence)
    expect(existsSync(join(folder, 'new'))).toBe(false)
  })
})

test.each<[string[], string]>([
  [
    [],
    'missing verb: use one of maintenance, api, audit, batches, check, purge, rules, bot-key, export, import, backup',
  ],
  [
    ['restart'],
    'unknown verb "restart": use one of maintenance, api, audit, batches, check, purge, rules, bot-key, export, import, backup',
  ],
  [
    ['valueOf', 'on'],
    'unknown verb "valueOf": use one of maintenance, api, audit, batches, check, purge, rules, bot-key, export, import, backup',
  ],
  [['maintenance'], 'maintenance takes <on|off|status>'],
  [['api', 'toString'], 'there is no state "toString": use one of on, off, status'],
  [['api', 'on', 'off'], 'api takes <on|off|status>'],
  [['backup'], 'backup takes <folder>'],
  [['backup', ''], 'backup takes <folder>: a new folder, or one without a store'],
  [['audit', '--since', 'yesterday'], '--since must be a day such as 2026-01-31'],
  [['check', 'all'], 'check takes no argument'],
  [['purge'], 'purge takes <url>'],
  [['purge', 'localhost'], '"localhost" is not a URL that can be scanned'],
  [['api', '--on'], "Unknown option '--on'"],
])('wrong usage is reported in a sentence: %j', async (args, sentence) => {
  const { code, stdout, stderr } = await service(args)
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
  expect(stderr.startsWith(sentence), stderr).toBe(true)
})

test('--help describes every verb', async () => {
  const { code, stdout } = await service(['--help'])
  expect(code).toBe(0)
  for (const verb of ['maintenance', 'api', 'audit', 'check', 'purge', 'export', 'import', 'backup'])
    expect(stdout).toContain(`service -- ${verb}`)
})
