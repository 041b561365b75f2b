import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Accounts } from '../../src/accounts/accounts.ts'
import { buildKey } from '../../src/keys/key.ts'
import type { GuardedStore } from '../../src/store/guard.ts'
import { openStore } from '../../src/store/open.ts'
import { Browser, openTestAccounts, PASSWORD, readCode, SECRET } from '../accounts/open-accounts.ts'
import { type BuiltProject, builtProject, type Outcome } from '../support/built-project.ts'
import { writeFolder } from '../support/rule-folder.ts'
import { mongoUrl } from '../support/services.ts'

const PUBLIC_URL = 'https://siteprint.example'
const KEY_PEPPER = 'a pepper of the tests, at least 32'

let project: BuiltProject
beforeAll(() => {
  project = builtProject()
})

type Env = Readonly<Record<string, string>>
const folder = writeFolder({})
const mongo = mongoUrl('the command accounts')
const common = { PUBLIC_URL, AUTH_SECRET: SECRET }
const stores: [string, Env][] = [
  ['SQLite', { ...common, DATA_DIR: join(folder, 'data') }],
  ...(mongo === null ? [] : [['MongoDB', { ...common, MONGODB_URL: mongo, KEY_PEPPER }] satisfies [string, Env]]),
]

describe.each(stores)('on %s, while a server uses the store', (_, env) => {
  let store: GuardedStore
  let pepper: string
  let accounts: Accounts
  beforeAll(async () => {
    const settings = {
      dataDir: env.DATA_DIR ?? '',
      mongodbUrl: env.MONGODB_URL ?? null,
      keyPepper: env.KEY_PEPPER ?? null,
    }
    ;({ store, pepper } = await openStore(settings, { role: 'server' }))
    accounts = await openTestAccounts(store, { publicUrl: PUBLIC_URL, signUp: 'invite' })
  })
  afterAll(() => store.close())

  const run = (...args: string[]): Promise<Outcome> => project.run('accounts', args, { env })
  /** Runs a command that must succeed. Returns its standard output. */
  async function succeed(...args: string[]): Promise<string> {
    const { code, stdout, stderr } = await run(...args)
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.any(String) })
    expect(stderr).not.toMatch(/token=|invite=/)
    return stdout
  }
  /** The token in a link that is alone on standard output. */
  const readToken = (stdout: string): string =>
    /^https:\/\/siteprint\.example\/\w+\?\w+=([\w-]{43})\n$/.exec(stdout)?.[1] ?? stdout
  const signUp = (email: string, invite: string | null): Promise<string> =>
    readCode(accounts.register({ name: 'Ann', email, password: PASSWORD, invite }, new Browser().visitor))
  const logIn = (email: string, password: string): Promise<string> =>
    readCode(accounts.logIn({ email, password }, new Browser().visitor))

  test('list without accounts', async () => {
    expect(await run('list')).toEqual({ code: 0, stdout: '', stderr: 'There are no accounts yet.\n' })
    expect(await run('list', '--json')).toEqual({ code: 0, stdout: '', stderr: '' })
  })

  test('invite prints a link for one account', async () => {
    const invite = readToken(await succeed('invite', '--days', '1'))
    expect(await signUp('one@a.example', null)).toBe('invalid_invite')
    expect(await signUp('one@a.example', invite)).toBe('none')
    expect(await signUp('two@a.example', invite)).toBe('invalid_invite')
  })

  test('create prints a link on which the owner chooses a password', async () => {
    const token = readToken(await succeed('create', 'Bea@A.example', '--name', 'Bea Ö', '--plan', 'pro'))
    const account = await store.accounts.findAccount('bea@a.example')
    expect(account).toMatchObject({ name: 'Bea Ö', plan: 'pro', isVerified: false })
    expect(await signUp('bea@a.example', readToken(await succeed('invite')))).toBe('address_taken')
    const form = { token, password: PASSWORD }
    expect(await readCode(accounts.resetPassword(form, new Browser().visitor))).toBe('none')
    expect(await logIn('bea@a.example', PASSWORD)).toBe('none')
    expect(await run('create', 'bea@a.example', '--name', 'B')).toEqual({
      code: 2,
      stdout: '',
      stderr: 'There is already an account with this e-mail address.\n',
    })
  })

  test('reset prints a link that works once; verify confirms the address', async () => {
    const token = readToken(await succeed('reset', 'bea@a.example'))
    const form = { token, password: 'a new pass phrase' }
    expect(await readCode(accounts.resetPassword(form, new Browser().visitor))).toBe('none')
    expect(await readCode(accounts.resetPassword(form, new Browser().visitor))).toBe('invalid_token')
    expect(await logIn('bea@a.example', form.password)).toBe('none')
    expect(await succeed('verify', 'BEA@a.example')).toBe('')
    expect(await store.accounts.findAccount('bea@a.example')).toMatchObject({ isVerified: true })
  })

  test('set-plan, disable and enable change the account and its keys', async () => {
    const { id, email } = Object(await store.accounts.findAccount('bea@a.example'))
    const parts = { name: 'n', email, plan: 'pro', revision: null, now: new Date(), pepper }
    const key = { ...buildKey(parts).key, account: id }
    expect(await store.keys.createDefaultKey(key)).toBe(true)
    expect(await succeed('set-plan', email, 'starter')).toBe('')
    expect(await store.keys.getKey(key.id)).toMatchObject({ plan: 'starter', suspendedAt: null })
    expect(await succeed('disable', email)).toBe('')
    expect(await store.keys.getKey(key.id)).toMatchObject({ suspendedAt: expect.any(Date) })
    expect(await logIn(email, 'a new pass phrase')).toBe('suspended')
    expect(await succeed('enable', email)).toBe('')
    expect(await store.keys.getKey(key.id)).toMatchObject({ suspendedAt: null })
    expect(await logIn(email, 'a new pass phrase')).toBe('none')
  })

  test('list shows no secret, as a table or as JSON lines', async () => {
    const lines = (await succeed('list', '--json')).trimEnd().split('\n')
    const listed = lines.map((line) => JSON.parse(line))
    expect(listed.map(({ email }) => email)).toEqual(['bea@a.example', 'one@a.example'])
    expect(listed[0]).toEqual({
      id: expect.stringMatching(/^acc_\w{20}$/),
      email: 'bea@a.example',
      name: 'Bea Ö',
      isVerified: true,
      plan: 'starter',
      createdAt: expect.any(String),
      suspendedAt: null,
      keys: 1,
      used: 0,
    })
    const [head, row, ...rest] = (await succeed('list', '--search', 'BEA')).split('\n')
    expect(head).toMatch(/^ID +EMAIL +CONFIRMED +NAME +PLAN +KEYS +USED +CREATED +SUSPENDED$/)
    expect(row).toMatch(/^acc_\w{20} {2}bea@a\.example {2}yes +Bea Ö {2}starter {2}1 +0 +[\d-]{10} [\d:]{5} {2}-$/)
    expect(rest).toEqual([''])
    expect((await run('list', '--search', 'unknown')).stderr).toBe('No account matches.\n')
  })

  test('delete needs --yes', async () => {
    expect(await run('delete', 'bea@a.example')).toMatchObject({ code: 2, stdout: '' })
    expect(await store.accounts.findAccount('bea@a.example')).not.toBeNull()
    expect(await succeed('delete', 'bea@a.example', '--yes')).toBe('')
    expect(await store.accounts.findAccount('bea@a.example')).toBeNull()
  })

  test.each([['verify'], ['reset'], ['disable'], ['enable'], ['delete', '--yes']])(
    '%s of an unknown account',
    async (verb, ...rest) => {
      const stderr = 'There is no account "none@a.example". Run "accounts list" to see all accounts.\n'
      expect(await run(verb, 'none@a.example', ...rest)).toEqual({ code: 2, stdout: '', stderr })
    },
  )
})

test.each<[string[], string]>([
  [[], 'missing verb: use one of invite, create, list, verify, reset, set-plan, disable, enable, delete'],
  [['invite', '--days', '0'], '--days must be a number from 1 to 365'],
  [['create'], 'create takes <email>'],
  [['create', 'ann@a.example', '--name', 'A', '--plan', 'none'], 'there is no plan "none"'],
  [['create', 'ann', '--name', 'A'], 'Enter an e-mail address, such as name@example.org.'],
  [['create', 'ann@a.example'], '--name must have 1 to 100 characters'],
  [['set-plan', 'ann@a.example'], 'set-plan takes <email> <plan>'],
  [['delete', 'ann@a.example'], 'delete removes an account permanently and revokes its keys: confirm it with --yes'],
])('wrong usage is reported in a sentence: %j', async (args, sentence) => {
  const { code, stdout, stderr } = await project.run('accounts', args, { env: { DATA_DIR: join(folder, 'misuse') } })
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
  expect(stderr).toContain(sentence)
})

test('on MongoDB without AUTH_SECRET, links are refused in a sentence', async () => {
  if (mongo === null) return
  const { code, stderr } = await project.run('accounts', ['invite'], { env: { MONGODB_URL: mongo, KEY_PEPPER } })
  expect(code).toBe(2)
  expect(stderr).toBe(
    'AUTH_SECRET is required with MONGODB_URL: write at least 32 characters, the same on every node\n',
  )
})
