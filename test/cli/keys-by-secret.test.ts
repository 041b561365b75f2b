import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type Outcome, smallProject } from '../support/built-project.ts'
import { writeFolder } from '../support/rule-folder.ts'

const folder = writeFolder({
  'plans.yaml': 'free: { perMinute: 1, perMonth: 2 }\nteam: { perMinute: 9, perMonth: 999 }\n',
})
const DATA_DIR = join(folder, 'data')
const run = (args: readonly string[], { input = '', ...env }: Record<string, string> = {}): Promise<Outcome> =>
  smallProject().run('keys', args, { input, env: { DATA_DIR, ...env } })

async function createKey(env: Record<string, string> = {}, plan = 'free'): Promise<{ id: string; secret: string }> {
  const { stdout, stderr } = await run(['create', '--name', 'Ann', '--email', 'ann@a.example', '--plan', plan], env)
  return { id: /key_\w{16}/.exec(stderr)?.[0] ?? '', secret: stdout.trim() }
}

describe('a key is found by its secret', () => {
  const show = (text: string): unknown => JSON.parse(text)

  test('as an argument or on standard input', async () => {
    const { id, secret } = await createKey()
    const outcomes = [await run(['show', secret]), await run(['show', '-'], { input: `${secret}\n` })]
    for (const { code, stdout, stderr } of outcomes) {
      expect({ code, stderr }).toEqual({ code: 0, stderr: `The secret belongs to ${id}.\n` })
      expect(show(stdout)).toMatchObject({ id })
    }
    expect(show((await run(['show', '-'], { input: id })).stdout)).toMatchObject({ id })
  })

  test('also by a former secret, and under the former pepper', async () => {
    const [OLD, NEW] = ['old', 'new'].map((name) => `the ${name} pepper of the tests, at least 32`)
    const DATA_DIR = join(folder, 'peppers')
    const { id, secret } = await createKey({ DATA_DIR, KEY_PEPPER: OLD })
    const both = { DATA_DIR, KEY_PEPPER: NEW, KEY_PEPPER_OLD: OLD }
    await run(['rotate', secret], both)
    expect(show((await run(['show', secret], both)).stdout)).toMatchObject({ id })
  })

  test('to revoke it, even if it is revoked already', async () => {
    const { id, secret } = await createKey()
    const sentences = [`Revoked ${id}.`, `${id} was already revoked at`]
    for (const sentence of sentences) {
      const { code, stdout, stderr } = await run(['revoke', '-'], { input: secret })
      expect({ code, stdout, found: stderr.includes(sentence) }).toEqual({ code: 0, stdout: '', found: true })
    }
  })
})

describe('no message contains a secret', () => {
  const unknown = 'spk_live_0000000000000000000000000000000000GuJd'
  test.each<[args: string[], sentence: string]>([
    [['show', 'SECRET'], 'The secret belongs to key_'],
    [['revoke', `${'SECRET'}x`], 'This is not a complete secret: its length or checksum is wrong.'],
    [['show', unknown.slice(0, 30)], 'This is not a complete secret'],
    [['SECRET'], 'unknown verb "spk_live_…"'],
    [['show', '--SECRET'], "Unknown option '--spk_live_…'"],
    [['set-plan', 'SECRET', 'SECRET'], 'there is no plan "spk_live_…"'],
    [['revoke', '-'], 'standard input must contain one id or secret of a key'],
  ])('%j', async (args, sentence) => {
    const { secret } = await createKey()
    const { stdout, stderr } = await run(args.map((arg) => arg.replace('SECRET', secret)))
    expect(stderr).toContain(sentence)
    expect(stdout + stderr).not.toContain(secret.slice(9, 20))
  })

  test('of a key that was deleted', async () => {
    const { id, secret } = await createKey()
    await run(['delete', id, '--yes'])
    const { code, stderr } = await run(['show', secret])
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: 'No key has this secret: it was deleted or rotated, or the secret belongs to another service.\n',
    })
  })
})

test.each(['list', 'usage', 'show'])(
  '%s says that it does not know a plan, and takes it from PLANS_FILE',
  async (verb) => {
    const DATA_DIR = join(folder, `plans-${verb}`)
    const PLANS_FILE = join(folder, 'plans.yaml')
    const { id } = await createKey({ DATA_DIR, PLANS_FILE }, 'team')
    const args = verb === 'show' ? [verb, id] : [verb, '--json']
    const without = await run(args, { DATA_DIR })
    expect([without.code, without.stderr]).toEqual([
      0,
      expect.stringContaining(
        'The plans of this command do not contain team: its keys are shown with the limits of free. If the service has other plans, set PLANS_FILE to its file.\n',
      ),
    ])
    expect(without.stdout).toMatch(/"limit": ?100\b/)
    const known = await run(args, { DATA_DIR, PLANS_FILE })
    expect(known.stdout).toMatch(/"limit": ?999\b/)
    expect(known.stderr).not.toContain('team')
  },
)
