import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hashSecret } from '../../src/keys/key.ts'
import { openStore } from '../../src/store/open.ts'
import type { Store } from '../../src/store/types.ts'
import { type BuiltProject, buildProject, type Outcome } from '../support/built-project.ts'
import { writeFolder } from '../support/rule-folder.ts'
import { mongoUrl } from '../support/services.ts'

const KEY_PEPPER = 'a pepper of the tests, at least 32'
type Env = Readonly<Record<string, string>>
const folder = writeFolder({})
const mongo = mongoUrl('the command service')
const stores: [string, Env][] = [
  ['SQLite', { DATA_DIR: join(folder, 'data') }],
  ...(mongo === null ? [] : [['MongoDB', { MONGODB_URL: mongo, KEY_PEPPER }] satisfies [string, Env]]),
]

let project: BuiltProject
beforeAll(() => {
  project = buildProject()
})
const service = (args: readonly string[], env: Env = stores[0][1]): Promise<Outcome> =>
  project.run('service', args, { env })

describe.each(stores)('on %s, beside a server', (_, env) => {
  let store: Store
  beforeAll(async () => {
    const settings = {
      dataDir: env.DATA_DIR ?? '',
      mongodbUrl: env.MONGODB_URL ?? null,
      keyPepper: env.KEY_PEPPER ?? null,
    }
    ;({ store } = await openStore(settings, { role: 'server' }))
  })
  afterAll(() => store.close())

  test.each<[string, boolean, boolean]>([
    ['maintenance status', false, true],
    ['maintenance on', true, true],
    ['maintenance on', true, true],
    ['api status', true, true],
    ['api off', true, false],
    ['maintenance off', false, false],
    ['api status', false, false],
    ['api on', false, true],
  ])('%s', async (words, maintenance, api) => {
    const stdout = `{"maintenance":${maintenance},"api":${api}}\n`
    expect(await service(words.split(' '), env)).toEqual({ code: 0, stdout, stderr: '' })
    expect(await store.settings.switches()).toEqual({ maintenance, apiOff: !api })
  })
})

describe('a backup', () => {
  test('serves as a DATA_DIR', async () => {
    const { DATA_DIR } = stores[0][1]
    const keys = (dataDir: string, ...args: string[]): Promise<Outcome> =>
      project.run('keys', args, { env: { DATA_DIR: dataDir } })
    const { stdout } = await keys(DATA_DIR, 'create', '--name', 'n', '--email', 'e@a.example', '--plan', 'free')
    const target = join(folder, 'backup', 'of-today')
    const stderr = `The store and its pepper are copied to ${target}\n`
    expect(await service(['backup', target])).toEqual({ code: 0, stdout: '', stderr })
    expect(readdirSync(target).sort()).toEqual(['pepper', 'siteprint.db'])
    const { store, pepper } = await openStore(
      { dataDir: target, mongodbUrl: null, keyPepper: null },
      { role: 'server' },
    )
    expect(await store.keys.findKey(hashSecret(stdout.trimEnd(), pepper))).toMatchObject({ email: 'e@a.example' })
    await store.close()
  })

  test('is told to be without KEY_PEPPER', async () => {
    const env = { DATA_DIR: join(folder, 'peppered'), KEY_PEPPER }
    await service(['api', 'status'], env)
    const target = join(folder, 'without')
    const stderr = `The store is, without the pepper of KEY_PEPPER, copied to ${target}\n`
    expect(await service(['backup', target], env)).toEqual({ code: 0, stdout: '', stderr })
    expect(readdirSync(target)).toEqual(['siteprint.db'])
  })

  test.each<[string, Env, string, string]>([
    ['to where a store is', stores[0][1], 'data', 'already contains a pepper: choose another folder'],
    ['of nothing', { DATA_DIR: join(folder, 'none') }, 'new', 'set DATA_DIR to the data folder of the server'],
    [
      'of MongoDB',
      { MONGODB_URL: 'mongodb://127.0.0.1:9/x', KEY_PEPPER },
      'new',
      'MongoDB is backed up with its own tools: run mongodump',
    ],
  ])('%s is refused', async (_, env, target, sentence) => {
    const { code, stdout, stderr } = await service(['backup', join(folder, target)], env)
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toContain(sentence)
    expect(existsSync(join(folder, 'new'))).toBe(false)
  })
})

test.each<[string[], string]>([
  [[], 'say what to do: maintenance, api or backup'],
  [['restart'], '"restart" is none of maintenance, api, backup'],
  [['valueOf', 'on'], '"valueOf" is none of maintenance, api, backup'],
  [['maintenance'], 'maintenance takes on, off or status'],
  [['api', 'toString'], 'api takes on, off or status'],
  [['api', 'on', 'off'], '"off" is too much'],
  [['backup'], 'backup takes <folder>: a new one, or one without a store'],
  [['backup', ''], 'backup takes <folder>: a new one, or one without a store'],
  [['api', '--on'], "Unknown option '--on'"],
])('misuse is told in a sentence: %j', async (args, sentence) => {
  const { code, stdout, stderr } = await service(args)
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
  expect(stderr.startsWith(sentence), stderr).toBe(true)
})

test('--help tells of every verb', async () => {
  const { code, stdout } = await service(['--help'])
  expect(code).toBe(0)
  for (const verb of ['maintenance', 'api', 'backup']) expect(stdout).toContain(`service -- ${verb}`)
})
