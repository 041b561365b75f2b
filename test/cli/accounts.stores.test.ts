import { hostname } from 'node:os'
import { Readable, Writable } from 'node:stream'
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import type { Accounts } from '../../src/accounts/accounts.ts'
import { recordAudit } from '../../src/accounts/audit.ts'
import { main } from '../../src/cli/accounts.ts'
import { buildKey } from '../../src/keys/key.ts'
import { Browser, openTestAccounts, PASSWORD, readCode, SECRET } from '../accounts/open-accounts.ts'
import { type Outcome, smallProject } from '../support/built-project.ts'
import { newStoreEnv, openStoreScene, type StoreScene } from './store-scene.ts'

const SUITE = 'the command accounts'
const PUBLIC_URL = 'https://siteprint.example'
// MongoDB deletes what has expired by its own clock, so the time of these tests is later.
const NOW = Date.UTC(2099, 4, 10, 12)

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: NOW })
})
afterEach(() => {
  vi.useRealTimers()
})

/** Commands on the store of a scene, and the accounts of its server. */
interface AccountScene extends StoreScene {
  readonly accounts: Accounts
  readonly run: (...args: string[]) => Promise<Outcome>
  /** Runs a command that must succeed. Returns its standard output. */
  readonly succeed: (...args: string[]) => Promise<string>
  /** Creates an account with a command, and chooses its password. Returns its address. */
  readonly create: (email: string, ...options: string[]) => Promise<string>
  readonly signUp: (email: string, invite: string | null) => Promise<string>
  readonly logIn: (email: string, password: string) => Promise<string>
}

async function openAccountScene(): Promise<AccountScene> {
  const scene = await openStoreScene(SUITE)
  const env = { ...scene.env, PUBLIC_URL, AUTH_SECRET: SECRET }
  const accounts = await openTestAccounts(scene.store, { publicUrl: PUBLIC_URL, signUp: 'invite' })
  const run = (...args: string[]): Promise<Outcome> => smallProject().run('accounts', args, { env })
  const succeed = async (...args: string[]): Promise<string> => {
    const { code, stdout, stderr } = await run(...args)
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.any(String) })
    expect(stderr).not.toMatch(/token=|invite=/)
    return stdout
  }
  const create = async (email: string, ...options: string[]): Promise<string> => {
    const token = readToken(await succeed('create', email, ...(options.length > 0 ? options : ['--name', 'Bea'])))
    expect(await readCode(accounts.resetPassword({ token, password: PASSWORD }, new Browser().visitor))).toBe('none')
    return email
  }
  const signUp = (email: string, invite: string | null): Promise<string> =>
    readCode(accounts.register({ name: 'Ann', email, password: PASSWORD, invite }, new Browser().visitor))
  const logIn = (email: string, password: string): Promise<string> =>
    readCode(accounts.logIn({ email, password }, new Browser().visitor))
  return { ...scene, accounts, run, succeed, create, signUp, logIn }
}

/** The token in a link that is alone on standard output. */
const readToken = (stdout: string): string =>
  /^https:\/\/siteprint\.example\/\w+\?\w+=([\w-]{43})\n$/.exec(stdout)?.[1] ?? stdout

describe.skipIf(newStoreEnv(SUITE) === null)('accounts, while a server uses the store', () => {
  let scene: AccountScene
  beforeAll(async () => {
    scene = await openAccountScene()
  })

  test('list without accounts', async () => {
    const { run } = await openAccountScene()
    expect(await run('list')).toEqual({ code: 0, stdout: '', stderr: 'There are no accounts yet.\n' })
    expect(await run('list', '--json')).toEqual({ code: 0, stdout: '', stderr: '' })
  })

  test('invite prints a link for one account', async () => {
    const { succeed, signUp } = scene
    const invite = readToken(await succeed('invite', '--days', '1'))
    expect(await signUp('one@a.example', null)).toBe('invalid_invite')
    expect(await signUp('one@a.example', invite)).toBe('none')
    expect(await signUp('two@a.example', invite)).toBe('invalid_invite')
  })

  test('create prints a link on which the owner chooses a password', async () => {
    const { store, accounts, run, succeed, signUp, logIn } = scene
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
    const { store, accounts, succeed, create, logIn } = scene
    const email = await create('cid@a.example')
    const token = readToken(await succeed('reset', email))
    const form = { token, password: 'a new pass phrase' }
    expect(await readCode(accounts.resetPassword(form, new Browser().visitor))).toBe('none')
    expect(await readCode(accounts.resetPassword(form, new Browser().visitor))).toBe('invalid_token')
    expect(await logIn(email, form.password)).toBe('none')
    expect(await store.accounts.findAccount(email)).toMatchObject({ isVerified: false })
    expect(await succeed('verify', email.toUpperCase(), '--yes')).toBe('')
    expect(await store.accounts.findAccount(email)).toMatchObject({ isVerified: true })
  })

  describe('verify', () => {
    /** Runs the command at a terminal. */
    async function answer(email: string, text: string, admins = '') {
      const stderr: string[] = []
      const stdin = Object.assign(Readable.from([text]), { isTTY: true })
      const sink = new Writable({ write: (chunk, _, done) => done(void stderr.push(`${chunk}`)) })
      const env = { ...scene.env, PUBLIC_URL, AUTH_SECRET: SECRET, ADMIN_EMAILS: admins }
      const code = await main(['verify', email], { env, stdin, stdout: sink, stderr: sink })
      return { code, stderr: stderr.join('') }
    }

    test('shows when and how an account was made, asks, and ends its sessions', async () => {
      const { store, accounts, signUp, succeed, run } = scene
      const [mallory, taken] = ['mallory@a.example', 'taken@a.example']
      expect(await signUp(mallory, readToken(await succeed('invite')))).toBe('none')
      const browser = new Browser()
      browser.keep((await accounts.logIn({ email: mallory, password: PASSWORD }, browser.visitor)).cookies)
      await accounts.changeEmail({ email: taken, password: PASSWORD }, browser.visitor)
      const id = (await store.accounts.findAccount(taken))?.id ?? ''
      // The portal records both.
      for (const action of ['account_created', 'email_changed'] as const)
        await recordAudit(store, { at: new Date(), action, actor: id, account: id }, { warn: () => {} })
      const shown = [
        `The account ${id} has the address ${taken} and the name "Ann".`,
        '2099-05-10 12:00 UTC: it was made by a sign-up in the portal.',
        '2099-05-10 12:00 UTC: it changed its address in the portal.',
      ].join('\n')
      const nothing = 'Nothing was changed. To remove an account that another person has made, run "accounts delete".\n'
      for (const text of ['no\n', '\n', 'y\n', '']) {
        const { code, stderr } = await answer(taken, text)
        expect([code, stderr.startsWith(`${shown}\nDo you know`), stderr.endsWith(nothing)]).toEqual([2, true, true])
      }
      const { code, stderr } = await run('verify', taken)
      expect(code).toBe(2)
      expect(stderr).toContain('confirm it with --yes')
      expect(await store.accounts.findAccount(taken)).toMatchObject({ isVerified: false })
      expect(await accounts.findSession(browser.visitor)).not.toBeNull()
      const yes = await answer(taken, 'Yes\n', taken)
      expect(yes.code).toBe(0)
      expect(yes.stderr).toContain('The address is in ADMIN_EMAILS: every person who knows its password gets')
      expect(yes.stderr).toContain(`The address of ${id} is confirmed. Its sessions have ended.\n`)
      expect(await store.accounts.findAccount(taken)).toMatchObject({ isVerified: true })
      expect(await accounts.findSession(browser.visitor)).toBeNull()
    })

    test('names the command and the machine that made an account', async () => {
      const email = await scene.create('gil@a.example')
      const { stderr } = await scene.run('verify', email, '--yes')
      expect(stderr).toContain(`2099-05-10 12:00 UTC: it was made with "accounts create" on ${hostname()}.\n`)
      expect(stderr).not.toContain('ADMIN_EMAILS')
    })
  })

  test('set-plan, disable and enable change the account and its keys', async () => {
    const { store, pepper, succeed, create, logIn } = scene
    const email = await create('dan@a.example')
    const id = (await store.accounts.findAccount(email))?.id ?? ''
    const parts = { name: 'n', email, plan: 'pro', revision: null, now: new Date(), pepper }
    const key = { ...buildKey(parts).key, account: id }
    expect(await store.keys.createDefaultKey(key)).toBe(true)
    expect(await succeed('set-plan', email, 'starter')).toBe('')
    expect(await store.keys.getKey(key.id)).toMatchObject({ plan: 'starter', suspendedAt: null })
    expect(await succeed('disable', email)).toBe('')
    expect(await store.keys.getKey(key.id)).toMatchObject({ suspendedAt: expect.any(Date) })
    expect(await logIn(email, PASSWORD)).toBe('suspended')
    expect(await succeed('enable', email)).toBe('')
    expect(await store.keys.getKey(key.id)).toMatchObject({ suspendedAt: null })
    expect(await logIn(email, PASSWORD)).toBe('none')
  })

  test('list shows no secret, as a table or as JSON lines', async () => {
    const { store, pepper, run, succeed, signUp, create } = await openAccountScene()
    expect(await signUp('one@a.example', readToken(await succeed('invite')))).toBe('none')
    vi.setSystemTime(NOW + 1000)
    await create('Bea@A.example', '--name', 'Bea Ö', '--plan', 'starter')
    await succeed('verify', 'bea@a.example', '--yes')
    const { id, email } = Object(await store.accounts.findAccount('bea@a.example'))
    const parts = { name: 'n', email, plan: 'starter', revision: null, now: new Date(), pepper }
    await store.keys.createDefaultKey({ ...buildKey(parts).key, account: id })
    const lines = (await succeed('list', '--json')).trimEnd().split('\n')
    const listed = lines.map((line) => JSON.parse(line))
    expect(listed.map(({ email }) => email)).toEqual(['bea@a.example', 'one@a.example'])
    expect(listed[0]).toEqual({
      id: expect.stringMatching(/^acc_\w{20}$/),
      email: 'bea@a.example',
      name: 'Bea Ö',
      isVerified: true,
      plan: 'starter',
      createdAt: new Date(NOW + 1000).toISOString(),
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
    const { store, run, succeed, create } = scene
    const email = await create('eve@a.example')
    expect(await run('delete', email)).toMatchObject({ code: 2, stdout: '' })
    expect(await store.accounts.findAccount(email)).not.toBeNull()
    expect(await succeed('delete', email, '--yes')).toBe('')
    expect(await store.accounts.findAccount(email)).toBeNull()
  })

  test.each([['verify'], ['reset'], ['disable'], ['enable'], ['delete', '--yes']])(
    '%s of an unknown account',
    async (verb, ...rest) => {
      const stderr = 'There is no account "none@a.example". Run "accounts list" to see all accounts.\n'
      expect(await scene.run(verb, 'none@a.example', ...rest)).toEqual({ code: 2, stdout: '', stderr })
    },
  )
})
