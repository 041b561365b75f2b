import { chmodSync, existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { describeSkew } from '../../src/cli/service/check-service.ts'
import { type Outcome, smallProject } from '../support/built-project.ts'
import { writeFolder } from '../support/rule-folder.ts'

type Env = Readonly<Record<string, string>>
const [KEY_PEPPER, OTHER] = ['a', 'another'].map((name) => `${name} pepper of the tests, at least 32`)
const folder = writeFolder({ 'plans.yaml': 'free: { perMinute: 1, perMonth: 2 }\n', 'other/rules/x.yaml': 'a' })

const project = smallProject()
const service = (env: Env, ...args: string[]): Promise<Outcome> => project.run('service', args, { env })
/** Creates a store with a key, whose pepper is KEY_PEPPER. Returns its folder. */
async function createStore(name: string): Promise<string> {
  const DATA_DIR = join(folder, name)
  const create = ['create', '--name', 'n', '--email', 'e@a.example', '--plan', 'pro']
  expect(await project.run('keys', create, { env: { DATA_DIR, KEY_PEPPER } })).toMatchObject({ code: 0 })
  return DATA_DIR
}
const readVersion = (stdout: string): string => /valid, version (\w+)/.exec(stdout)?.[1] ?? ''

describe('check', () => {
  test('of a new folder finds no problem and creates nothing', async () => {
    const DATA_DIR = join(folder, 'new')
    const { code, stdout, stderr } = await service({ DATA_DIR }, 'check')
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout.replace(readVersion(stdout), 'x')).toBe(`ok       settings  valid, with 4 plans
ok       rules     valid, version x
ok       keys      SQLite in ${DATA_DIR}: there is no store yet; the first start creates one
ok       redis     not used: REDIS_URL is not set
`)
    expect(existsSync(DATA_DIR)).toBe(false)
  })

  test('reports keys without a plan, keys of a lost pepper, and unusual settings', async () => {
    const DATA_DIR = await createStore('warned')
    const env = { DATA_DIR, KEY_PEPPER: OTHER, PLANS_FILE: join(folder, 'plans.yaml'), SCAN_ALLOW: '127.0.0.1' }
    const peppers = (one: string): string[] => one.match(/^.*KEY_PEPPER_OLD.*$/gm) ?? []
    const both = await service({ ...env, KEY_PEPPER_OLD: KEY_PEPPER }, 'check')
    expect(peppers(both.stdout)).toEqual(['ok       keys      keys that need KEY_PEPPER_OLD: 1'])
    const { code, stdout } = await service(env, 'check')
    expect({ code, peppers: peppers(stdout) }).toEqual({ code: 2, peppers: [] })
    const first = await service({ ...env, KEY_PEPPER, KEY_PEPPER_OLD: OTHER }, 'check')
    expect(peppers(first.stdout)).toEqual(['ok       keys      keys that need KEY_PEPPER_OLD: 0'])
    expect(stdout).toContain('ok       settings  valid, with 1 plan\nwarning  settings  SCAN_ALLOW: opens addresses')
    expect(stdout).toContain(`SQLite in ${DATA_DIR}: can be written; keys that are not revoked: 1\n`)
    expect(stdout).toContain('warning  keys      keys whose plan is not in PLANS_FILE: 1 (pro)\n')
    expect(stdout).toContain('error    keys      keys that are rejected, because their pepper is not set: 1;')
    expect(both).toMatchObject({ code: 1 })
  })

  test('names misspelled settings, and refuses weak secrets and a folder that others can open', async () => {
    const DATA_DIR = await createStore('risky')
    const check = async (env: Env): Promise<unknown[]> => {
      const { code, stdout } = await service({ DATA_DIR, KEY_PEPPER, ...env }, 'check')
      return [code, stdout.match(/^\w+ +settings +[A-Z_]+:.*$/gm)]
    }
    expect(await check({ SCAN_ALOW: 'x' })).toEqual([
      1,
      ['warning  settings  SCAN_ALOW: is not a setting; did you mean SCAN_ALLOW?'],
    ])
    expect(await check({ AUTH_SECRET: 'a'.repeat(40) })).toEqual([
      2,
      [
        expect.stringMatching(
          /^error {4}settings {2}AUTH_SECRET: is one repeated character, so sessions could be forged;/,
        ),
      ],
    ])
    chmodSync(DATA_DIR, 0o750)
    const open = `error    settings  DATA_DIR: other users can open ${DATA_DIR} (mode 0750); run chmod 700 on it`
    expect(await check({})).toEqual([2, [open]])
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
  ])('%s is an error', async (name, env, expected) => {
    const DATA_DIR = await createStore(name)
    const { code, stdout, stderr } = await service({ DATA_DIR, KEY_PEPPER, ...env }, 'check')
    expect({ code, stderr }).toEqual({ code: 2, stderr: '' })
    expect(stdout).toMatch(expected)
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
    const { code, stderr } = await service({ DATA_DIR: join(folder, 'new') }, 'purge', 'https://example.org')
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('request the URL with fresh=true') })
  })
})
