import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { smallProject } from '../support/built-project.ts'
import { writeFolder } from '../support/rule-folder.ts'
import type { Env } from './store-scene.ts'

// keys.stores.test.ts contains what does not depend on SQLite.
const ANN = ['--name', 'Ann Ö', '--email', 'ann@a.example', '--plan', 'pro']
const folder = writeFolder({})

test('no secret is stored', async () => {
  const DATA_DIR = join(folder, 'secrets')
  const run = (...args: string[]) => smallProject().run('keys', args, { env: { DATA_DIR } })
  const first = await run('create', ...ANN)
  const second = await run('rotate', /key_\w{16}/.exec(first.stderr)?.[0] ?? '')
  const files = readdirSync(DATA_DIR).map((name) => join(DATA_DIR, name))
  expect(files.length).toBeGreaterThan(1)
  for (const { stdout } of [first, second]) {
    const secret = /^(spk_live_\w{21})\w{17}\n$/.exec(stdout)?.[1] ?? expect.fail('no secret was printed')
    for (const file of files) expect(readFileSync(file).includes(secret), file).toBe(false)
  }
})

test('list shows which keys need the old pepper, until they are rotated', async () => {
  const DATA_DIR = join(folder, 'new-pepper')
  const [OLD, NEW] = ['old', 'new'].map((name) => `the ${name} pepper of the tests, at least 32`)
  const run = (env: Env, ...args: string[]) => smallProject().run('keys', args, { env: { DATA_DIR, ...env } })
  await run({ KEY_PEPPER: OLD }, 'create', ...ANN)
  const both = { KEY_PEPPER: NEW, KEY_PEPPER_OLD: OLD }
  await run(both, 'create', ...ANN)
  const list = async (env: Env) => {
    const { stdout, stderr } = await run(env, 'list', '--json')
    const keys: { id: string; pepper: string | null }[] = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    return { keys, states: keys.map(({ pepper }) => pepper), stderr }
  }
  const { keys, ...before } = await list(both)
  const need = 'Keys that need KEY_PEPPER_OLD: 1. Rotate them before you remove it.\n'
  expect(before).toEqual({ states: ['old', 'current'], stderr: need })
  const rejected = 'Keys that are rejected: 1. Set KEY_PEPPER_OLD to their pepper, or rotate them.\n'
  expect(await list({ KEY_PEPPER: NEW })).toMatchObject({ states: ['missing', 'current'], stderr: rejected })
  await run(both, 'rotate', keys[0].id, '--overlap', '1h')
  expect((await list(both)).states).toEqual(['old', 'current'])
  await run(both, 'rotate', keys[0].id, '--overlap', '0')
  expect(await list(both)).toMatchObject({ states: ['current', 'current'], stderr: '' })
  await run(both, 'revoke', keys[0].id)
  expect((await list({ KEY_PEPPER: NEW })).states).toEqual([null, 'current'])
})
