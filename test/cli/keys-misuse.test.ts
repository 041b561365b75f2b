import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { type BuiltProject, buildProject, type Outcome } from '../support/built-project.ts'
import { writeFolder } from '../support/rule-folder.ts'

let project: BuiltProject
beforeAll(() => {
  project = buildProject()
})

const folder = writeFolder({ 'plans.yaml': 'free: { perMinute: 1, perMonth: 2 }\n' })
const DATA_DIR = join(folder, 'data')
const keys = (args: readonly string[], env = {}): Promise<Outcome> =>
  project.run('keys', args, { env: { DATA_DIR, ...env } })
const create = (change: Readonly<Record<string, string>>): string[] => {
  const options = { name: 'Ann', email: 'ann@a.example', plan: 'pro', ...change }
  return ['create', ...Object.entries(options).map(([name, value]) => `--${name}=${value}`)]
}

const NAME = '--name must be a text of 1 to 200 characters, all on one line'
const EMAIL = '--email must be an address such as ann@example.org'
const PLANS = 'free, starter, pro, advanced'
const OVERLAP = '--overlap must be 0 or a time such as 90s, 15m, 24h or 7d, at most 365d'

describe('misuse is told in a sentence, and makes no store', () => {
  const rows: [string[], string][] = [
    [[], 'say what to do: create, list, show, revoke, rotate, set-plan'],
    [['remove'], '"remove" is none of create, list, show, revoke, rotate, set-plan'],
    [['constructor'], '"constructor" is none of create, list, show, revoke, rotate, set-plan'],
    [['list', 'all'], 'list takes options alone'],
    [['show'], 'show takes <id>'],
    [['set-plan', 'key_x'], 'set-plan takes <id> <plan>'],
    [['set-plan', 'key_x', 'gold'], `there is no plan "gold": there are ${PLANS}`],
    [['revoke', 'key_x', 'key_y'], 'revoke takes <id>'],
    [['list', '--plan', 'pro'], '--plan does not go with list'],
    [['list', '--jsn'], "Unknown option '--jsn'"],
    [['create'], NAME],
    [create({ name: ' ' }), NAME],
    [create({ name: '😀'.repeat(201) }), NAME],
    [create({ name: 'a\nb' }), NAME],
    [create({ name: 'a\u001b[31m' }), NAME],
    [create({ email: '' }), EMAIL],
    [create({ email: 'ann' }), EMAIL],
    [create({ email: 'ann@a@b' }), EMAIL],
    [create({ email: 'Ann <ann@a.example>' }), EMAIL],
    [create({ email: `${'a'.repeat(250)}@b.cd` }), EMAIL],
    [create({ plan: 'gold' }), `there is no plan "gold": there are ${PLANS}`],
    [create({ plan: 'toString' }), `there is no plan "toString": there are ${PLANS}`],
    [create({ revision: '3' }), '--revision must be 1 or 2'],
    [create({ overlap: '1h' }), '--overlap does not go with create'],
    [['create', '--name', 'a', '--email', 'a@b'], `--plan must be one of ${PLANS}`],
    [['rotate', 'key_x', '--overlap', '1'], OVERLAP],
    [['rotate', 'key_x', '--overlap', '-1h'], "Option '--overlap' argument is ambiguous"],
    [['rotate', 'key_x', '--overlap=-1h'], OVERLAP],
    [['rotate', 'key_x', '--overlap', '1.5h'], OVERLAP],
    [['rotate', 'key_x', '--overlap', '366d'], OVERLAP],
    [['rotate', 'key_x', '--overlap', '999999999d'], OVERLAP],
    [['rotate', 'key_x', '--overlap', 'h'], OVERLAP],
  ]
  const named = rows.map(([args, sentence]) => [JSON.stringify(args).slice(0, 80), args, sentence] as const)
  test.each(named)('%s', async (_, args, sentence) => {
    const { code, stdout, stderr } = await keys(args)
    expect({ code, stdout, told: stderr.split('\n')[0].startsWith(sentence), stderr }).toEqual({
      code: 2,
      stdout: '',
      told: true,
      stderr,
    })
    expect(stderr).not.toMatch(/^ +at /m)
    expect(existsSync(DATA_DIR)).toBe(false)
  })

  test('bad settings are named all at once', async () => {
    const { code, stdout, stderr } = await keys(['list'], {
      MONGODB_URL: 'mongodb://me:hunter2@a b',
      PORT: 'x',
      KEY_PEPPER: 'hunter2',
    })
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr.split('\n').map((line) => line.split(':')[0])).toEqual(['PORT', 'MONGODB_URL', 'KEY_PEPPER', ''])
    expect(stderr).not.toContain('hunter2')
  })
})

test('--help tells of every verb', async () => {
  const { code, stdout } = await keys(['--help'])
  expect(code).toBe(0)
  for (const verb of ['create', 'list', 'show', 'revoke', 'rotate', 'set-plan'])
    expect(stdout).toContain(`keys -- ${verb}`)
})

test('what is just within bounds is taken, and a new store is told of', async () => {
  const env = { PLANS_FILE: join(folder, 'plans.yaml') }
  const { code, stderr } = await keys(create({ name: '😀'.repeat(200), email: 'ä@ö', plan: 'free' }), env)
  expect(code).toBe(0)
  const [told, made] = stderr.split('\n')
  expect(told).toBe(`There is no store yet: one is made in ${DATA_DIR}`)
  expect((await keys(['rotate', made.split(' ')[0], '--overlap', '365d'], env)).code).toBe(0)
})

test('a key whose plan is gone has the smallest', async () => {
  const { stderr } = await keys(create({}))
  const { stdout } = await keys(['show', stderr.trimEnd().split('\n').at(-1)?.split(' ')[0] ?? ''], {
    PLANS_FILE: join(folder, 'plans.yaml'),
  })
  expect(JSON.parse(stdout)).toMatchObject({ plan: 'pro', usage: { used: 0, limit: 2, remaining: 2 } })
})
