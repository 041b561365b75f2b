import type { AccountStore } from '../store/types.ts'
import type { AccountWriter } from './account-writer.ts'
import type { Attempts } from './attempts.ts'
import type { AuthCalls } from './auth-calls.ts'
import type { BackgroundWork } from './background-work.ts'
import type { BrowserSessions } from './browser-sessions.ts'
import type { Guesses } from './guesses.ts'
import type { KnownBrowsers } from './known-browsers.ts'
import type { LinkTokens } from './link-tokens.ts'
import type { Mailer } from './mailer.ts'
import type { PasswordHasher } from './password-hasher.ts'

/** Who may sign up. */
export type SignUp = 'open' | 'invite' | 'off'

/** The dependencies that the parts of `Accounts` share. */
export interface AccountParts {
  readonly signUp: SignUp
  readonly publicUrl: string
  readonly store: AccountStore
  readonly calls: AuthCalls
  readonly writer: AccountWriter
  readonly sessions: BrowserSessions
  readonly tokens: LinkTokens
  readonly hasher: PasswordHasher
  readonly attempts: Attempts
  /** Addresses of the operators, as `parseEmailAddress` spells them. Without e-mail they cannot be taken in the portal. */
  readonly adminEmails: readonly string[]
  readonly guesses: Guesses
  readonly browsers: KnownBrowsers
  /** Null without e-mail. */
  readonly mailer: Mailer | null
  readonly background: BackgroundWork
}
