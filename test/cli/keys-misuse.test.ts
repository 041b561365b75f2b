import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { type BuiltProject, type Outcome, smallProject } from '../support/built-project.ts'
import { writeFolder } from '../support/rule-folder.ts'

let project: BuiltProject
beforeAll(() => {
  project = smallProject()
})

const folder = writeFolder({ 'plans.yaml': 'free: { perMinute: 1, perMonth: 2 }\n' })
const DATA_DIR = join(folder, 'data')
const keys = (args: readonly string[], env = {}): Promise<Outcome> =>
  project.run('keys', args, { env: { DATA_DIR, ...env } })
const create = (change: Readonly<Record<string, string>>): string[] => {
  const options = { name: 'Ann', email: 'ann@a.example', plan: 'pro', ...change }
  return ['create', ...Object.entries(options).map(([name, value]) => `--${name}=${value}`)]
}

const NAME = '--name must have 1 to 200 characters, all on one line and some of them visible'
const EMAIL = '--email must be an address such as ann@example.org'
const PLANS = 'free, starter, pro, advanced'
const VERBS =
  'create, attach, list, show, usage, revoke, rotate, delete, set-plan, set-limits, set-expiry, set-name, set-email'
const LIMIT = 'must be a whole number from'
const EXPIRY =
  'must be a day such as 2027-01-31 (UTC), a time such as 2027-01-31T18:00Z, a duration such as 90d, or never:'
const OVERLAP = '--overlap must be 0 or a duration such as 90s, 15m, 24h or 7d, at most 365d'

describe('wrong usage is reported in a sentence, and creates no store', () => {
  const rows: [string[], string][] = [
    [[], `missing verb: use one of ${VERBS}`],
    [['remove'], `unknown verb "remove"; did you mean "revoke"? Use one of ${VERBS}`],
    [['constructor'], `unknown verb "constructor": use one of ${VERBS}`],
    [['list', 'all'], 'list takes no argument'],
    [['show'], 'show takes <id>'],
    [['set-plan', 'key_x'], 'set-plan takes <id> <plan>'],
    [['set-plan', 'key_x', 'gold'], `there is no plan "gold": use one of ${PLANS}`],
    [['revoke', 'key_x', 'key_y'], 'revoke takes <id>'],
    [['list', '--plan', 'pro'], '--plan cannot be used with list'],
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
    [create({ plan: 'gold' }), `there is no plan "gold": use one of ${PLANS}`],
    [create({ plan: 'toString' }), `there is no plan "toString": use one of ${PLANS}`],
    [create({ revision: '3' }), '--revision must be 1 or 2'],
    [create({ overlap: '1h' }), '--overlap cannot be used with create'],
    [['create', '--name', 'a', '--email', 'a@b'], `--plan must be one of ${PLANS}`],
    [['rotate', 'key_x', '--overlap', '1'], OVERLAP],
    [['rotate', 'key_x', '--overlap', '-1h'], "Option '--overlap' argument is ambiguous"],
    [['rotate', 'key_x', '--overlap=-1h'], OVERLAP],
    [['rotate', 'key_x', '--overlap', '1.5h'], OVERLAP],
    [['rotate', 'key_x', '--overlap', '366d'], OVERLAP],
    [['rotate', 'key_x', '--overlap', '999999999d'], OVERLAP],
    [['rotate', 'key_x', '--overlap', 'h'], OVERLAP],
    [create({ expires: '2020-01-01' }), '--expires must be in the future: 2020-01-01 is not'],
    [create({ expires: '31.01.2099' }), `--expires ${EXPIRY} "31.01.2099" is none of these`],
    ...[
      ['2027-02-30', `${EXPIRY} there is no 2027-02-30`],
      ['2099-01-31T24:01Z', `${EXPIRY} there is no 2099-01-31T24:01Z`],
      ['2027-01-31T18:00', `${EXPIRY} "2027-01-31T18:00" does not end in Z`],
      ['2027-01-31T18:00+01:00', `${EXPIRY} "2027-01-31T18:00+01:00" does not end in Z`],
      ...['0', '31.01.2027', '2027-1-1', '-1d', '9e9', 'Never', ''].map((time) => [
        time,
        `${EXPIRY} "${time}" is none of these`,
      ]),
      ['0d', 'must be in the future: 0d is not'],
      ['2100-01-01', 'must be before the year 2100: 2100-01-01 is not'],
      ['999999999d', 'must be before the year 2100: 999999999d is not'],
    ].map(([time, sentence]): [string[], string] => [['set-expiry', '--', 'key_x', time], `<time> ${sentence}`]),
    [['set-limits', 'key_x'], 'set-limits takes --per-minute, --per-month or both'],
    [['set-limits', 'key_x', '--per-minute', '0'], `--per-minute ${LIMIT} 1`],
    [['set-limits', 'key_x', '--per-minute', '1.5'], `--per-minute ${LIMIT} 1`],
    [['set-limits', 'key_x', '--per-month', '1000000001'], `--per-month ${LIMIT} 0`],
    [['set-name', 'key_x', ' '], '<name> must have 1 to 200 characters'],
    [['set-email', 'key_x', 'x'], '<email> must be an address'],
    [['usage', '--month', '2026-13'], '--month must be a month such as 2026-10'],
    [['usage', '--month', '2026-1'], '--month must be a month such as 2026-10'],
    [['usage', '--month', '2099-01'], '--month must not be in the future: the current month is 20'],
    [['usage', '--json', '--csv'], '--json and --csv cannot be combined'],
    [['delete', 'key_x'], 'delete removes a key with its name and e-mail address permanently'],
  ]
  const named = rows.map(([args, sentence]) => [JSON.stringify(args).slice(0, 80), args, sentence] as const)
  test.each(named)('%s', async (_, args, sentence) => {
    const { code, stdout, stderr } = await keys(args)
    expect({ code, stdout, isReported: stderr.split('\n')[0].startsWith(sentence), stderr }).toEqual({
      code: 2,
      stdout: '',
      isReported: true,
      stderr,
    })
    expect(stderr).not.toMatch(/^ +at /m)
    expect(existsSync(DATA_DIR)).toBe(false)
  })

  test('all invalid settings are reported at once', async () => {
    const env = { DATA_DIR, MONGODB_URL: 'mongodb://me:hunter2@a b', PORT: 'x', KEY_PEPPER: 'hunter2' }
    const { code, stdout, stderr } = await project.run('keys', ['list'], { env })
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr.split('\n').map((line) => line.split(':')[0])).toEqual(['PORT', 'MONGODB_URL', 'KEY_PEPPER', ''])
    expect(stderr).not.toContain('hunter2')
  })
})

test('--help describes every verb', async () => {
  const { code, stdout } = await keys(['--help'])
  expect(code).toBe(0)
  for (const verb of ['create', 'list', 'show', 'revoke', 'rotate', 'set-plan'])
    expect(stdout).toContain(`keys -- ${verb}`)
})

test('values at their limits are accepted, and a new store is reported', async () => {
  const env = { PLANS_FILE: join(folder, 'plans.yaml'), DATA_DIR: join(folder, 'limits') }
  const { code, stderr } = await keys(create({ name: '😀'.repeat(200), email: 'ä@ö', plan: 'free' }), env)
  expect(code).toBe(0)
  const [first, second] = stderr.split('\n')
  expect(first).toBe(`There is no store yet. Creating one in ${env.DATA_DIR}.`)
  expect((await keys(['rotate', second.match(/key_\w+/)?.[0] ?? '', '--overlap', '365d'], env)).code).toBe(0)
})

test('a key whose plan no longer exists has the smallest one', async () => {
  const env = { DATA_DIR: join(folder, 'plans') }
  const { stderr } = await keys(create({}), env)
  const { stdout } = await keys(['show', stderr.match(/key_\w+/)?.[0] ?? ''], {
    ...env,
    PLANS_FILE: join(folder, 'plans.yaml'),
  })
  expect(JSON.parse(stdout)).toMatchObject({ plan: 'pro', usage: { used: 0, limit: 2, remaining: 2 } })
})
