import type { SharedState } from '../coordination/types.ts'
import type { GuardedStore } from '../store/guard.ts'
import { MONGO_TIMEOUT_MS } from '../store/open/open-store.ts'
import { StoreError } from '../store/types.ts'
import { AccountWriter } from './account-writer.ts'
import type { Accounts } from './accounts.ts'
import { AccountsOnBetterAuth } from './accounts-on-better-auth.ts'
import { Attempts } from './attempts.ts'
import { openAuth } from './auth.ts'
import { openAuthDatabase } from './auth-adapter.ts'
import { BackgroundWork } from './background-work.ts'
import { BrowserSessions } from './browser-sessions.ts'
import { Guesses } from './guesses.ts'
import { KnownBrowsers } from './known-browsers.ts'
import { LinkTokens } from './link-tokens.ts'
import type { Logger } from './logger.ts'
import type { Mailer, MailSettings } from './mailer.ts'
import { AccountOperator } from './operator.ts'
import type { SignUp } from './parts.ts'
import { PasswordHasher } from './password-hasher.ts'

interface CommonOptions {
  readonly store: Pick<GuardedStore, 'accounts' | 'authDatabase' | 'isUp' | 'reportFailure'>
  /** Signs cookies and encrypts pending sign-ups; at least 32 characters. */
  readonly secret: string
  /** The public URL, without a trailing slash. */
  readonly publicUrl: string
  readonly log: Logger
  /** By default one that uses scrypt. Tests supply their own. */
  readonly hasher?: PasswordHasher
}

export interface OpenAccountsOptions extends CommonOptions {
  readonly shared: Pick<SharedState, 'countRequest'>
  readonly signUp: SignUp
  /** Addresses of the operators, as `parseEmailAddress` spells them. */
  readonly adminEmails: readonly string[]
  /** Null without e-mail. */
  readonly smtpUrl: string | null
  /** Set if `smtpUrl` is. */
  readonly mailFrom: string | null
}

/** Opens the accounts of a server. The store stays open when they are closed. */
export async function openAccounts(options: OpenAccountsOptions): Promise<Accounts> {
  const { store, shared, secret, publicUrl, log, signUp, adminEmails, smtpUrl, mailFrom } = options
  const { hasher = new PasswordHasher() } = options
  const { auth, context, calls, writer, tokens } = await openParts(options, 'server')
  const mailer = smtpUrl === null || mailFrom === null ? null : await openMailer({ smtpUrl, mailFrom }, log)
  const attempts = new Attempts(shared, secret)
  return new AccountsOnBetterAuth({
    signUp,
    adminEmails,
    publicUrl,
    store: store.accounts,
    calls,
    writer,
    tokens,
    sessions: new BrowserSessions(auth, context),
    hasher,
    attempts,
    guesses: new Guesses({ attempts, canMail: mailer !== null }),
    browsers: new KnownBrowsers({ secret, publicUrl }),
    mailer,
    background: new BackgroundWork(log),
  })
}

/** Opens the accounts for the operator's commands. */
export async function openOperator(options: CommonOptions): Promise<AccountOperator> {
  const { calls, writer, tokens } = await openParts(options, 'tool')
  const { store, publicUrl, hasher = new PasswordHasher() } = options
  return new AccountOperator({ store: store.accounts, publicUrl, calls, writer, tokens, hasher })
}

async function openParts({ store, secret, publicUrl, log }: CommonOptions, role: keyof typeof MONGO_TIMEOUT_MS) {
  const checkStore = (): void => {
    if (store.authDatabase.kind === 'mongodb' && !store.isUp) throw new StoreError('the store is down')
  }
  const database = await openAuthDatabase(store.authDatabase, {
    timeoutMs: MONGO_TIMEOUT_MS[role],
    checkStore,
    onFailure: (error) => store.reportFailure(error),
  })
  const auth = await openAuth({ database, secret, publicUrl, log })
  const context = await auth.$context
  const writer = new AccountWriter(context, store.accounts)
  return { auth, context, calls: database.calls, writer, tokens: new LinkTokens(context, writer) }
}

/** Without a mail server nodemailer is not loaded: it is a third of the code that accounts need. */
async function openMailer(settings: MailSettings, log: Logger): Promise<Mailer> {
  const { Mailer } = await import('./mailer.ts')
  return new Mailer(settings, log)
}
