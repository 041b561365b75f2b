import { existsSync, readdirSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hashSecret } from '../../src/keys/key.ts'
import { openStore } from '../../src/store/open.ts'
import type { Store } from '../../src/store/types.ts'
import { type BuiltProject, builtProject, type Outcome } from '../support/built-project.ts'
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
  project = builtProject()
})
const service = (args: readonly string[], env: Env = stores[0][1]): Promise<Outcome> =>
  project.run('service', args, { env })

describe.each(stores)('on %s, while a server uses the store', (_, env) => {
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
  ])('%s', async (line, maintenance, api) => {
    const stdout = `{"maintenance":${maintenance},"api":${api}}\n`
    expect(await service(line.split(' '), env)).toEqual({ code: 0, stdout, stderr: '' })
    expect(await store.settings.switches()).toEqual({ maintenance, apiOff: !api })
    const [verb, state] = line.split(' ')
    const [newest] = await store.audit.listAudit({ account: null, limit: 1 })
    const by = { actor: null, account: null, command: `service ${verb}`, machine: hostname() }
    if (state !== 'status') expect(newest).toMatchObject({ action: `${verb}_${state}`, ...by })
  })

  test('audit lists what was done, oldest first', async () => {
    const nothing = { actor: null, account: null, key: null, detail: null, command: null, machine: 'node-1' }
    const changed = {
      ...nothing,
      action: 'plan_changed',
      actor: 'acc_1',
      account: 'acc_2',
      key: 'key_1',
      detail: 'pro',
    }
    await store.audit.addAudit({ ...changed, at: new Date('2099-01-02T03:04:05.678Z'), action: 'plan_changed' })
    const all = (await service(['audit', '--json'], env)).stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(all.slice(0, 2).map(({ action }) => action)).toEqual(['maintenance_on', 'maintenance_on'])
    expect(all.at(-1)).toEqual({ ...changed, at: '2099-01-02T03:04:05.678Z' })
    const { stdout } = await service(['audit', '--since', '2099-01-02'], env)
    expect(stdout).toBe(
      'TIME                      ACTION        DETAIL  BY     MACHINE  ACCOUNT  KEY\n' +
        '2099-01-02T03:04:05.678Z  Plan changed  pro     acc_1  node-1   acc_2    key_1\n',
    )
    expect((await service(['audit', '--since', '10m', '--json'], env)).stdout.trimEnd().split('\n').length).toBe(
      all.length,
    )
    const none = { code: 0, stdout: '', stderr: 'Nothing is recorded in this time.\n' }
    expect(await service(['audit', '--since', '2099-01-03'], env)).toEqual(none)
  })
})

describe('a backup', () => {
  test('can be used as a DATA_DIR', async () => {
    const { DATA_DIR } = stores[0][1]
    const keys = (dataDir: string, ...args: string[]): Promise<Outcome> =>
      project.run('keys', args, { env: { DATA_DIR: dataDir } })
    const { stdout } = await keys(DATA_DIR, 'create', '--name', 'n', '--email', 'e@a.example', '--plan', 'free')
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
    const options = ['--name', 'n', '--email', 'e@a.example', '--plan', 'free']
    await project.run('keys', ['create', ...options], { env })
    const target = join(folder, 'without')
    const stderr = `Copied the store without KEY_PEPPER to ${target}.\n`
    expect(await service(['backup', target], env)).toEqual({ code: 0, stdout: '', stderr })
    expect(readdirSync(target)).toEqual(['siteprint.db'])
  })

  test.each<[string, Env, string, string]>([
    ['to a folder with a store', stores[0][1], 'data', 'already contains a pepper: choose another folder'],
    ['without a store', { DATA_DIR: join(folder, 'none') }, 'new', 'set DATA_DIR to the data folder of the server'],
    [
      'of MongoDB',
      { MONGODB_URL: 'mongodb://127.0.0.1:9/x', KEY_PEPPER },
      'new',
      'MongoDB is backed up with its own tools: run mongodump',
    ],
  ])('%s is rejected', async (_, env, target, sentence) => {
    const { code, stdout, stderr } = await service(['backup', join(folder, target)], env)
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toContain(sentence)
    expect(existsSync(join(folder, 'new'))).toBe(false)
  })
})

test.each<[string[], string]>([
  [[], 'missing verb: use one of maintenance, api, audit, check, purge, export, import, backup'],
  [['restart'], 'unknown verb "restart": use one of maintenance, api, audit, check, purge, export, import, backup'],
  [
    ['valueOf', 'on'],
    'unknown verb "valueOf": use one of maintenance, api, audit, check, purge, export, import, backup',
  ],
  [['maintenance'], 'maintenance takes <on|off|status>'],
  [['api', 'toString'], '"toString" is not one of on, off, status'],
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

test('--help describes every verb, in a process', async () => {
  const { code, stdout } = await project.spawn('service', ['--help'])
  expect(code).toBe(0)
  for (const verb of ['maintenance', 'api', 'audit', 'check', 'purge', 'export', 'import', 'backup'])
    expect(stdout).toContain(`service -- ${verb}`)
})
