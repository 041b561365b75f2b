import type { CurrentSession, KnownSession, LogIn, SessionInfo, Visitor } from './types.ts'

/**
 * Operations that people perform on their accounts, independent of the kind of store, and of whether a page or a
 * command calls them. Methods throw `AccountError` if the person can correct the input, `StoreError` if the store
 * fails.
 */
export interface Accounts {
  /** Whether the service can send e-mail: without it there is no verification and no reset by e-mail. */
  readonly canMail: boolean
  /** Who may sign up. */
  readonly signUp: 'open' | 'invite' | 'off'
  /** The session of a request; null without a valid one. Suspended accounts have none. */
  findSession(visitor: Visitor): Promise<CurrentSession | null>
  /**
   * Checks an invitation before the form is filled in. If none is needed, every invitation is valid.
   * @throws AccountError
   */
  checkInvite(token: string, visitor: Visitor): Promise<void>
  /**
   * Creates an account. Without e-mail the account is logged in immediately. With e-mail the result is always `mailed`:
   * the account is created when the link is confirmed; if the address already has an account, an e-mail informs its
   * owner.
   */
  register(
    form: { readonly name: string; readonly email: string; readonly password: string; readonly invite: string | null },
    visitor: Visitor,
  ): Promise<LogIn | 'mailed'>
  /**
   * Confirms the address by the token of an e-mail and a password, and logs in. A sign-up needs the password that was chosen with
   * it: otherwise the owner of an address could complete the sign-up of another person. A changed address needs the password of
   * the account, or its session.
   */
  verify(form: { readonly token: string; readonly password: string }, visitor: Visitor): Promise<LogIn>
  /** Voids the link of an e-mail that confirms an address, for a recipient who requested nothing. */
  discard(token: string, visitor: Visitor): Promise<void>
  /** Begins a session. A session that the browser already has ends. Only a correct password reveals that an account is suspended. */
  logIn(
    form: {
      readonly email: string
      readonly password: string
      /** Token of the link that `requestLogInLink` sends. */
      readonly link?: string | undefined
    },
    visitor: Visitor,
  ): Promise<LogIn>
  /**
   * Sends a link with which a browser that the account does not know may log in although many wrong passwords were entered today,
   * if the address has an account. Takes the same time if it has none.
   */
  requestLogInLink(email: string, visitor: Visitor): Promise<void>
  /** Ends the session. @returns values of `Set-Cookie` that remove its cookie */
  logOut(visitor: Visitor): Promise<readonly string[]>
  /** Sends a link to reset the password, if the address has an account. Takes the same time if it has none. */
  requestReset(email: string, visitor: Visitor): Promise<void>
  /**
   * Sets a new password by the token of a link, and ends all sessions.
   * @returns values of `Set-Cookie`: the account knows the browser afterwards
   */
  resetPassword(
    form: { readonly token: string; readonly password: string },
    visitor: Visitor,
  ): Promise<readonly string[]>
  rename(name: string, visitor: Visitor): Promise<void>
  /**
   * With e-mail, sends a link to the new address, which takes effect when it is opened (`mailed`); otherwise changes it
   * immediately. All other sessions end when it takes effect.
   */
  changeEmail(
    form: { readonly email: string; readonly password: string },
    visitor: Visitor,
  ): Promise<'changed' | 'mailed'>
  /** Ends all other sessions. @returns values of `Set-Cookie` of the renewed session */
  changePassword(
    form: { readonly current: string; readonly password: string },
    visitor: Visitor,
  ): Promise<readonly string[]>
  /** @param session of the request, as `findSession` found it */
  listSessions(session: KnownSession): Promise<readonly SessionInfo[]>
  endSession(id: string, visitor: Visitor): Promise<void>
  endOtherSessions(visitor: Visitor): Promise<void>
  /** Deletes the account after its password was checked. @returns values of `Set-Cookie` that remove the cookie */
  remove(password: string, visitor: Visitor): Promise<readonly string[]>
  /** Waits until the pending e-mails are sent, for a few seconds at most. */
  close(): Promise<void>
}

/** Reason → sentence for the person, which says what to do. */
export const ACCOUNT_ERRORS = {
  wrong_login: 'The e-mail address or the password is wrong.',
  wrong_password: 'The password is wrong.',
  no_password: 'Enter your password.',
  invalid_email: 'Enter an e-mail address, such as name@example.org.',
  invalid_name: 'Enter a name of 1 to 100 characters, some of them visible.',
  short_password: 'Choose a password of at least 10 characters.',
  long_password: 'Choose a password of at most 128 characters.',
  common_password: 'This password is on lists of common passwords. Choose another one.',
  personal_password: 'Choose a password that is neither your name nor your e-mail address.',
  address_taken: 'There is already an account with this e-mail address. Log in instead.',
  reserved_address:
    'This address is one of an operator. Only the operator can create its account, with the command "accounts create".',
  sign_up_off: 'Sign-up is closed on this service. Ask its operator for an account.',
  invalid_invite: 'This invitation is no longer valid. Ask the operator of this service for a new one.',
  suspended: 'This account is suspended. Contact the operator of this service.',
  invalid_token: 'This link is no longer valid. Request a new one.',
  not_logged_in: 'Log in first.',
  too_many_attempts: 'Too many attempts. Wait a minute and try again.',
  too_many_in_session: 'Too many wrong passwords were entered in this session today. Log out, and log in again.',
  too_many_today:
    'Too many wrong passwords were entered for this account today. Use a browser that you have logged in with before, or ask the operator of this service for a link to choose a new password.',
  needs_link:
    'Many wrong passwords were entered for this address today. A browser that you have not logged in with before needs a link that we send to the address.',
  mails_used_up:
    'Several e-mails were sent to this address today. Open the link in the newest one, or request another one tomorrow.',
} as const

/** A problem that the person can correct. */
export class AccountError extends Error {
  readonly code: keyof typeof ACCOUNT_ERRORS

  constructor(code: keyof typeof ACCOUNT_ERRORS) {
    super(ACCOUNT_ERRORS[code])
    this.code = code
  }
}
