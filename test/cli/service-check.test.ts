import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { describeSkew } from '../../src/cli/service/check-service.ts'
import { openRedis } from '../../src/coordination/redis/redis.ts'
import { buildCacheKey } from '../../src/scan/cache-entry.ts'
import { type BuiltProject, type Outcome, smallProject } from '../support/built-project.ts'
import { writeFolder } from '../support/rule-folder.ts'
import { mongoUrl, redisUrl } from '../support/services.ts'

type Env = Readonly<Record<string, string>>
const [KEY_PEPPER, OTHER] = ['a', 'another'].map((name) => `${name} pepper of the tests, at least 32`)
const folder = writeFolder({ 'plans.yaml': 'free: { perMinute: 1, perMonth: 2 }\n', 'other/rules/x.yaml': 'a' })
const DATA_DIR = join(folder, 'data')
const redis = redisUrl('the command check')
const mongo = mongoUrl('the command check')

let project: BuiltProject
beforeAll(() => {
  project = smallProject()
})
const service = (env: Env, ...args: string[]): Promise<Outcome> => project.run('service', args, { env })
const readVersion = (stdout: string): string => /valid, version (\w+)/.exec(stdout)?.[1] ?? ''

describe('check', () => {
  test('of a new folder finds no problem and creates nothing', async () => {
    const { code, stdout, stderr } = await service({ DATA_DIR }, 'check')
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout.replace(readVersion(stdout), 'x')).toBe(`ok       settings  valid, with 4 plans
ok       rules     valid, version x
ok       keys      SQLite in ${DATA_DIR}: there is no store yet; the first start creates one
ok       redis     not used: REDIS_URL is not set
`)
    expect(existsSync(DATA_DIR)).toBe(false)
  })

  test('warns of keys without a plan, of keys of a lost pepper, and of settings', async () => {
    const create = ['create', '--name', 'n', '--email', 'e@a.example', '--plan', 'pro']
    await project.run('keys', create, { env: { DATA_DIR, KEY_PEPPER } })
    const env = { DATA_DIR, KEY_PEPPER: OTHER, PLANS_FILE: join(folder, 'plans.yaml'), SCAN_ALLOW: '127.0.0.1' }
    const peppers = (one: string): string[] => one.match(/^.*KEY_PEPPER_OLD.*$/gm) ?? []
    const both = await service({ ...env, KEY_PEPPER_OLD: KEY_PEPPER }, 'check')
    expect(peppers(both.stdout)).toEqual(['ok       keys      keys that need KEY_PEPPER_OLD: 1'])
    const { code, stdout } = await service(env, 'check')
    expect({ code, peppers: peppers(stdout) }).toEqual({ code: 1, peppers: [] })
    const first = await service({ ...env, KEY_PEPPER, KEY_PEPPER_OLD: OTHER }, 'check')
    expect(peppers(first.stdout)).toEqual(['ok       keys      keys that need KEY_PEPPER_OLD: 0'])
    expect(stdout).toContain('ok       settings  valid, with 1 plan\nwarning  settings  SCAN_ALLOW opens addresses')
    expect(stdout).toContain(`SQLite in ${DATA_DIR}: can be written; keys that are not revoked: 1\n`)
    expect(stdout).toContain('warning  keys      keys whose plan is not in PLANS_FILE: 1 (pro)\n')
    expect(stdout).toContain('warning  keys      keys that are rejected, because their pepper is not set: 1;')
  })

  test.each<[string, Env, RegExp]>([
    [
      'every invalid setting',
      { PORT: 'x', LOG_LEVEL: 'y' },
      /^error {4}settings {2}PORT: .*\nerror {4}settings {2}LOG_LEVEL: .*\n$/,
    ],
    [
      'an unknown pepper',
      { KEY_PEPPER: 'an unknown pepper of the tests, of 32' },
      /^error {4}keys {6}KEY_PEPPER is not the pepper/m,
    ],
    [
      'a store that is away',
      { MONGODB_URL: 'mongodb://127.0.0.1:9/x', KEY_PEPPER },
      /^error {4}keys {6}MongoDB at 127.0.0.1:9 does not answer/m,
    ],
    [
      'a Redis that is away',
      { REDIS_URL: 'redis://127.0.0.1:9' },
      /^error {4}redis {5}Redis does not respond \(connect ECONNREFUSED/m,
    ],
  ])('%s is an error', async (_, env, expected) => {
    const { code, stdout, stderr } = await service({ DATA_DIR, KEY_PEPPER: OTHER, ...env }, 'check')
    expect({ code, stderr }).toEqual({ code: 2, stderr: '' })
    expect(stdout).toMatch(expected)
  })

  test.skipIf(redis === null || mongo === null)('of both servers', async () => {
    const env = { REDIS_URL: redis ?? '', MONGODB_URL: mongo ?? '', KEY_PEPPER, PORTAL: 'off' }
    const { code, stdout } = await service(env, 'check')
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining('MongoDB: can be written') })
    for (const server of ['MongoDB', 'Redis'])
      expect(stdout).toContain(`the clock of ${server} agrees with that of this machine\n`)
  })

  test.each([
    [0, 0, 'ok'],
    [999, 0, 'ok'],
    [1001, 0, 'warning'],
    [-1001, 0, 'warning'],
    [3000, 2500, 'ok'],
    [4000, 2500, 'warning'],
  ])('a clock that differs by %i ms, read in %i ms: %s', (skewMs, tookMs, level) => {
    const before = Date.UTC(2026, 4, 1)
    const found = describeSkew('Redis', { before, clock: before + skewMs, after: before + tookMs })
    expect(found.level).toBe(level)
    if (level === 'warning') expect(found.text).toMatch(skewMs > 0 ? /is 1\.\d s ahead of/ : /is 1\.\d s behind/)
  })
})

describe('purge', () => {
  test('without Redis says what to do instead', async () => {
    const { code, stderr } = await service({ DATA_DIR }, 'purge', 'https://example.org')
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('request the URL with fresh=true') })
  })

  test.skipIf(redis === null)('deletes the result of one URL, however it is written', async () => {
    const env = { DATA_DIR, KEY_PEPPER: OTHER, REDIS_URL: redis ?? '' }
    const version = readVersion((await service(env, 'check')).stdout)
    const shared = await openRedis({ url: redis ?? '' })
    const now = Date.now()
    const [entry, neighbour] = ['https://example.org/a', 'https://example.org/b'].map((url) =>
      buildCacheKey(new URL(url), version),
    )
    for (const one of [entry, neighbour]) {
      const { token } = (await shared.acquire(one, { fresh: true, now })) as { token: string }
      await shared.complete(one, token, { outcome: '{}', result: { at: now, result: '{}' } })
    }
    const purge = (): Promise<Outcome> => service(env, 'purge', ' https://EXAMPLE.org:443/a#part ')
    const stderr = 'Deleted the cached result of https://example.org/a.\n'
    expect(await purge()).toEqual({ code: 0, stdout: '', stderr })
    expect((await purge()).stderr).toBe('There is no cached result of https://example.org/a.\n')
    const roles = [entry, neighbour].map(async (one) => (await shared.acquire(one, { fresh: false, now })).role)
    expect(await Promise.all(roles)).toEqual(['lead', 'done'])
    await shared.close()
  })
})
