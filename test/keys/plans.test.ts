import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { SetupError } from '../../src/errors.ts'
import { findLimits, findPlan, loadPlans, type Plan } from '../../src/keys/plans.ts'
import { writeFolder } from '../support/rule-folder.ts'

const FREE = 'free: { perMinute: 1, perMonth: 0 }\n'
const LIMITS = 'perMinute, perMonth and, optionally, keys, batchUrls and pages'
const MOST = 1_000_000_000

/** Reads the plans of a text, or its problems as `line: sentence`. */
function read(text: string): readonly Plan[] | string[] {
  const file = join(writeFolder({ 'plans.yaml': text }), 'plans.yaml')
  try {
    return [...loadPlans(file).values()]
  } catch (error) {
    if (!(error instanceof SetupError)) throw error
    expect(error.message.split('\n').every((line) => line.startsWith(`${file}:`))).toBe(true)
    return error.message.split('\n').map((line) => line.slice(file.length + 1))
  }
}

describe('valid plans', () => {
  const free: Plan = { name: 'free', perMinute: 1, perMonth: 0, keys: 1 }
  test.each<[string, string, readonly Plan[]]>([
    ['one', FREE, [free]],
    ['a byte order mark', `\ufeff${FREE}`, [free]],
    ['CRLF', FREE.replaceAll('\n', '\r\n'), [free]],
    [
      'in the order of the file',
      `z: { perMinute: ${MOST}, perMonth: ${MOST} }\n${FREE}`,
      [{ name: 'z', perMinute: MOST, perMonth: MOST, keys: 1 }, free],
    ],
    ['an alias', 'free: &a { perMinute: 1, perMonth: 0 }\nteam-2: *a\n', [free, { ...free, name: 'team-2' }]],
    ['a number with an exponent', 'free: { perMinute: 1, perMonth: 1e3 }\n', [{ ...free, perMonth: 1000 }]],
    ['a number of keys', 'free: { perMinute: 1, perMonth: 0, keys: 7 }\n', [{ ...free, keys: 7 }]],
    ['JSON', '{"free": {"perMinute": 1, "perMonth": 0}}', [free]],
  ])('%s', (_, text, expected) => {
    expect(read(text)).toEqual(expected)
  })
})

test('the plans of the service are valid, which a start does not check', () => {
  const text = readFileSync(join(import.meta.dirname, '../../src/keys/plans.yaml'), 'utf8')
  expect(read(text)).toEqual([...loadPlans().values()])
})

describe('every problem is reported with its line', () => {
  const whole = (key: string, least: number): string => `${key} must be a whole number from ${least} to ${MOST}`
  const badName = (name: string): string =>
    `the key "${name}" must be a name of a plan: lower-case letters, digits and hyphens, beginning with a letter`
  test.each<[string, string, string[]]>([
    ['nothing', '', [`1: the file must be a mapping from names of plans to ${LIMITS}`]],
    ['a list', '- free\n', [`1: the file must be a mapping from names of plans to ${LIMITS}`]],
    [
      'no plan "free"',
      'pro: { perMinute: 1, perMonth: 0 }\n',
      ['1: the plan "free" is missing: the first key gets it'],
    ],
    ['a number for a plan', `${FREE}pro: 4\n`, [`2: pro must be a mapping with ${LIMITS}`]],
    ['null for a plan', `${FREE}pro:\n`, [`2: pro must be a mapping with ${LIMITS}`]],
    ['a limit missing', `${FREE}pro: { perMinute: 1 }\n`, ['2: perMonth is missing in pro']],
    [
      'an unknown limit',
      `${FREE}pro:\n  perMinute: 1\n  perMonth: 1\n  perDay: 1\n`,
      ['5: the key "perDay" is unknown; use perMinute or perMonth or keys or batchUrls or pages'],
    ],
    ['zero per minute', 'free:\n  perMinute: 0\n  perMonth: 0\n', [`2: ${whole('perMinute', 1)}`]],
    ['a negative number', 'free:\n  perMinute: 1\n  perMonth: -1\n', [`3: ${whole('perMonth', 0)}`]],
    ['no keys', 'free:\n  perMinute: 1\n  perMonth: 1\n  keys: 0\n', [`4: ${whole('keys', 1)}`]],
    ['a fraction', 'free:\n  perMinute: 1.5\n  perMonth: 1\n', [`2: ${whole('perMinute', 1)}`]],
    ['a number that is too large', `free:\n  perMinute: 1\n  perMonth: ${MOST + 1}\n`, [`3: ${whole('perMonth', 0)}`]],
    [
      'not a number',
      'free:\n  perMinute: .inf\n  perMonth: "7"\n',
      [`2: ${whole('perMinute', 1)}`, `3: ${whole('perMonth', 0)}`],
    ],
    [
      'invalid names',
      `${FREE}Pro: { perMinute: 1, perMonth: 1 }\n9: { perMinute: 1, perMonth: 1 }\n`,
      [`2: ${badName('Pro')}`, `3: ${badName('9')}`],
    ],
    [
      'the name of a property of every object',
      `${FREE}__proto__: { perMinute: 1, perMonth: 1 }\n`,
      [`2: ${badName('__proto__')}`],
    ],
    ['a plan twice', `${FREE}${FREE}`, ['2: the YAML is not valid: this key occurs twice']],
    [
      'invalid YAML',
      `${FREE}pro: [\n`,
      ['3: the YAML is not valid: Flow sequence in block collection must be sufficiently indented and end with a ]'],
    ],
    [
      'a tag',
      'free: !!js/function { perMinute: 1, perMonth: 0 }\n',
      ['1: the YAML is not valid: Unresolved tag: tag:yaml.org,2002:js/function'],
    ],
    [
      'an alias of nothing',
      'free: *x\n',
      ['1: the YAML is not valid: quote a text that begins with *; the subdomains of x.com are written .x.com'],
    ],
  ])('%s', (_, text, expected) => {
    expect(read(text)).toEqual(expected)
  })

  test('a plan named like a property of every object is not built in', () => {
    expect(read(`${FREE}constructor: { perMinute: 1, perMonth: 1 }\n`)).toHaveLength(2)
    expect(loadPlans().get('constructor')).toBeUndefined()
  })

  test('a folder', () => {
    const folder = writeFolder({})
    expect(() => loadPlans(folder)).toThrow(new SetupError(`${folder}: the plans cannot be read: EISDIR`))
  })
})

describe('the plan of a key', () => {
  const plans = (...limits: [string, number, number][]): ReadonlyMap<string, Plan> =>
    new Map(limits.map(([name, perMinute, perMonth]) => [name, { name, perMinute, perMonth, keys: 1 }]))
  test.each<[string, ReadonlyMap<string, Plan>, string, string]>([
    ['is the one that the key names', loadPlans(), 'pro', 'pro'],
    ['is the smallest one if its own no longer exists', loadPlans(), 'gone', 'free'],
    [
      'is the one with the lowest quota, at any position in the file',
      plans(['free', 1, 9], ['tiny', 5, 2]),
      'gone',
      'tiny',
    ],
    [
      'is the one with the lower rate limit if the quotas are equal',
      plans(['free', 5, 2], ['slow', 1, 2]),
      'gone',
      'slow',
    ],
    ['is the first one of equal plans', plans(['free', 1, 2], ['same', 1, 2]), 'gone', 'free'],
  ])('%s', (_, all, name, expected) => {
    expect(findPlan(all, name).name).toBe(expected)
  })
})

test('a reload reports what changed, and an invalid file changes nothing', () => {
  const file = join(writeFolder({ 'plans.yaml': `${FREE}a: { perMinute: 1, perMonth: 1 }\n` }), 'plans.yaml')
  const plans = loadPlans(file)
  expect(plans.reload()).toEqual([])
  writeFileSync(file, `${FREE.replace('1', '7')}b: { perMinute: 1, perMonth: 1 }\n`)
  expect(plans.reload()).toEqual(['free', 'a', 'b'])
  const after = [...plans.values()]
  expect(after.map(({ name, perMinute }) => [name, perMinute])).toEqual([
    ['free', 7],
    ['b', 1],
  ])
  for (const wrong of ['', 'a: { perMinute: 1, perMonth: 1 }', `${FREE}c: {}`]) {
    writeFileSync(file, wrong)
    expect(() => plans.reload()).toThrow(SetupError)
    expect([...plans.values()]).toEqual(after)
  }
})

test.each([
  [null, null, { perMinute: 1, perMonth: 0 }],
  [5, null, { perMinute: 5, perMonth: 0 }],
  [null, 6, { perMinute: 1, perMonth: 6 }],
])('own limits of a key (%s, %s) replace those of its plan', (perMinute, perMonth, expected) => {
  const plans = new Map([['free', { name: 'free', perMinute: 1, perMonth: 0, keys: 1 }]])
  expect(findLimits(plans, { plan: 'free', perMinute, perMonth })).toEqual(expected)
})
