import type { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { VNode } from 'preact'
import type { AccountError } from '../accounts/accounts.ts'
import type { Visitor } from '../accounts/types.ts'
import type { Account } from '../store/account-types.ts'
import type { FormReader } from './form.ts'
import type { FieldErrors } from './form-errors.ts'
import type { PortalParts } from './parts.ts'

/** Who may open a page: everyone, accounts, or operators (see `isAdmin`). */
export type PageAccess = 'nothing' | 'session' | 'admin'

/**
 * The data of a request that a page needs, and the ways in which it changes the response. `PageContext<'session'>` has
 * an account.
 */
export type PageContext<N extends PageAccess = 'nothing'> = BasicContext<AccountFor[N]>

/** The context of a page for accounts. */
export type SessionContext = PageContext<'session'>

/** What a page needs → the type of the account in its context. Null without a session. */
interface AccountFor {
  readonly nothing: Account | null
  readonly session: Account
  readonly admin: Account
}

interface BasicContext<A extends Account | null> {
  readonly parts: PortalParts
  /** For pages that call code of the API. All other pages need only the fields below. */
  readonly exchange: { readonly request: FastifyRequest; readonly reply: FastifyReply }
  readonly account: A
  /** The current session's id; null without one. */
  readonly sessionId: string | null
  /** Whether the account may open the operator's pages. */
  readonly isAdmin: boolean
  readonly visitor: Visitor
  /** When the request arrived, in milliseconds since 1970. */
  readonly now: number
  readonly requestId: string
  /** The address of the service as the person sees it, without a trailing slash: `PUBLIC_URL`, otherwise that of the request. */
  readonly baseUrl: string
  /** Path of the request without query. */
  readonly path: string
  /** Parameters of the path: `id` for `/account/keys/:id`. */
  readonly params: Readonly<Record<string, string>>
  readonly query: FormReader
  /** The fields of the posted form; empty for GET. */
  readonly form: FormReader
  /** Adds values of `Set-Cookie` to the response. */
  addCookies(cookies: readonly string[]): void
  /** Sets the status of the response; 200 without it. */
  setStatus(status: number): void
  /**
   * Converts an error to errors of a form, and sets the status: 422, or 429 with `Retry-After` beyond a limit.
   * An error that the person cannot correct is thrown again.
   * @param fields error code → name of the field it belongs to, where the usual one is wrong; '' for the whole form
   */
  explain(error: unknown, fields?: Partial<Record<AccountError['code'], string>>): FieldErrors
}

/** Redirects the browser to another page of this service with GET (303). */
export class Redirect {
  readonly path: string

  /** @param path of this service, such as `/account`. Check a path that comes from a request with `parseLocalPath` */
  constructor(path: string) {
    this.path = path
  }
}

/** A file that the browser saves. */
export class Download {
  readonly name: string
  readonly type: string
  readonly body: string | Readable

  /** @param file `name` in ASCII, `type` with its charset; a body that may be large is a stream */
  constructor(file: { readonly name: string; readonly type: string; readonly body: string | Readable }) {
    this.name = file.name
    this.type = file.type
    this.body = file.body
  }
}

/** Ends a request with an error page: `throw new PageError(404)`. */
export class PageError extends Error {
  readonly status: 400 | 403 | 404 | 409 | 413 | 429
  /** Seconds for `Retry-After`. */
  readonly retryAfter: number | undefined

  /** @param sentence what to do instead; each status has its own without it */
  constructor(status: PageError['status'], sentence?: string, options: { readonly retryAfter?: number } = {}) {
    super(sentence ?? '')
    this.status = status
    this.retryAfter = options.retryAfter
  }
}

/** Null if the browser has disconnected: there is no response. */
export type PageResult = VNode | Redirect | Download | null

/** One method of one path of the portal. */
export interface PageDefinition<N extends PageAccess = PageAccess> {
  readonly method: 'GET' | 'POST'
  /** The path in Fastify's syntax: `/account/keys/:id`. */
  readonly path: string
  readonly needs: N
  /**
   * The limit of a form. By default forms count by session, or by address without one. `own` is that of a handler which counts by
   * what the form costs, in a way that no stranger can use up.
   */
  readonly limit?: 'own'
  /** Whether the form contains a file (`multipart/form-data`). The page reads it with `readUpload`; `context.form` is empty. */
  readonly isUpload?: boolean
  /** Handles the request. A thrown `StoreError` is a 503 page, a thrown `AccountError` a 400 page. */
  handle(context: PageContext<N>): Promise<PageResult>
}

/**
 * Defines a page, to be listed in `pages.ts`:
 * ```
 * export const KEYS = definePage({
 *   method: 'GET',
 *   path: '/account/keys',
 *   needs: 'session',
 *   handle: async (context) => <KeysPage context={context} keys={await listKeys(context)} />,
 * })
 * ```
 * The browser's origin was checked before a POST is handled, its session is known, and it was counted. Every response has the portal's
 * security headers and is not cached. Without the session that the page needs, the browser is led to `/login`.
 */
export function definePage<N extends PageAccess>(page: PageDefinition<N>): PageDefinition {
  return page
}
