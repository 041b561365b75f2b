import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { SetupError } from '../../src/errors.ts'
import { loadPlans, type Plan, planOf } from '../../src/keys/plans.ts'
import { writeFolder } from '../support/rule-folder.ts'

const FREE = 'free: { perMinute: 1, perMonth: 0 }\n'
const LIMITS = 'perMinute and perMonth'
const MOST = 1_000_000_000

/** Plans that a text holds, or its faults as `line: sentence`. */
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

describe('plans that are sound', () => {
  const free: Plan = { name: 'free', perMinute: 1, perMonth: 0 }
  test.each<[string, string, readonly Plan[]]>([
    ['one', FREE, [free]],
    ['a byte order mark', `\ufeff${FREE}`, [free]],
    ['CRLF', FREE.replaceAll('\n', '\r\n'), [free]],
    [
      'in the order of the file',
      `z: { perMinute: ${MOST}, perMonth: ${MOST} }\n${FREE}`,
      [{ name: 'z', perMinute: MOST, perMonth: MOST }, free],
    ],
    ['an alias', 'free: &a { perMinute: 1, perMonth: 0 }\nteam-2: *a\n', [free, { ...free, name: 'team-2' }]],
    ['a number with an exponent', 'free: { perMinute: 1, perMonth: 1e3 }\n', [{ ...free, perMonth: 1000 }]],
    ['JSON', '{"free": {"perMinute": 1, "perMonth": 0}}', [free]],
  ])('%s', (_, text, expected) => {
    expect(read(text)).toEqual(expected)
  })
})

describe('every fault is told with its line', () => {
  const whole = (key: string, least: number): string => `${key} must be a whole number from ${least} to ${MOST}`
  const badName = (name: string): string =>
    `"${name}" is no name of a plan: lower-case letters, digits and hyphens, a letter first`
  test.each<[string, string, string[]]>([
    ['nothing', '', [`1: the file must map names of plans to ${LIMITS}`]],
    ['a list', '- free\n', [`1: the file must map names of plans to ${LIMITS}`]],
    [
      'no plan "free"',
      'pro: { perMinute: 1, perMonth: 0 }\n',
      ['1: a plan "free" must be there: the first key has it'],
    ],
    ['a number for a plan', `${FREE}pro: 4\n`, [`2: the plan "pro" must have ${LIMITS}`]],
    ['null for a plan', `${FREE}pro:\n`, [`2: the plan "pro" must have ${LIMITS}`]],
    ['a limit missing', `${FREE}pro: { perMinute: 1 }\n`, ['2: the plan "pro" lacks perMonth']],
    [
      'a limit too much',
      `${FREE}pro:\n  perMinute: 1\n  perMonth: 1\n  perDay: 1\n`,
      [`5: a plan has ${LIMITS}, not "perDay"`],
    ],
    ['nought a minute', 'free:\n  perMinute: 0\n  perMonth: 0\n', [`2: ${whole('perMinute', 1)}`]],
    ['less than nought', 'free:\n  perMinute: 1\n  perMonth: -1\n', [`3: ${whole('perMonth', 0)}`]],
    ['a fraction', 'free:\n  perMinute: 1.5\n  perMonth: 1\n', [`2: ${whole('perMinute', 1)}`]],
    ['too much', `free:\n  perMinute: 1\n  perMonth: ${MOST + 1}\n`, [`3: ${whole('perMonth', 0)}`]],
    [
      'no number',
      'free:\n  perMinute: .inf\n  perMonth: "7"\n',
      [`2: ${whole('perMinute', 1)}`, `3: ${whole('perMonth', 0)}`],
    ],
    [
      'names that are none',
      `${FREE}Pro: { perMinute: 1, perMonth: 1 }\n9: { perMinute: 1, perMonth: 1 }\n`,
      [`2: ${badName('Pro')}`, `3: ${badName('9')}`],
    ],
    ['a name of every object', `${FREE}__proto__: { perMinute: 1, perMonth: 1 }\n`, [`2: ${badName('__proto__')}`]],
    ['a plan twice', `${FREE}${FREE}`, ['2: Map keys must be unique']],
    [
      'no YAML',
      `${FREE}pro: [\n`,
      ['3: Flow sequence in block collection must be sufficiently indented and end with a ]'],
    ],
    [
      'a tag',
      'free: !!js/function { perMinute: 1, perMonth: 0 }\n',
      ['1: Unresolved tag: tag:yaml.org,2002:js/function'],
    ],
    [
      'an alias of nothing',
      'free: *x\n',
      [' this is no YAML: Unresolved alias (the anchor must be set before the alias): x'],
    ],
  ])('%s', (_, text, expected) => {
    expect(read(text)).toEqual(expected)
  })

  test('a plan of every object is none of ours', () => {
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
    new Map(limits.map(([name, perMinute, perMonth]) => [name, { name, perMinute, perMonth }]))
  test.each<[string, ReadonlyMap<string, Plan>, string, string]>([
    ['is the one it names', loadPlans(), 'pro', 'pro'],
    ['is the smallest when its own is gone', loadPlans(), 'gone', 'free'],
    ['is the one with the lowest quota, wherever it stands', plans(['free', 1, 9], ['tiny', 5, 2]), 'gone', 'tiny'],
    ['is the slower one of equal quotas', plans(['free', 5, 2], ['slow', 1, 2]), 'gone', 'slow'],
    ['is the first one of equals', plans(['free', 1, 2], ['same', 1, 2]), 'gone', 'free'],
  ])('%s', (_, all, name, expected) => {
    expect(planOf(all, name).name).toBe(expected)
  })
})
