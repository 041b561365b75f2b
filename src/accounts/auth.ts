import type { BetterAuthOptions } from 'better-auth'
import { createAuthEndpoint } from 'better-auth/api'
import { setSessionCookie } from 'better-auth/cookies'
import { betterAuth } from 'better-auth/minimal'
import { makeRandomText } from '../keys/key.ts'
import { FIRST_PLAN } from '../keys/plans.ts'
import type { OpenedDatabase } from './auth-adapter.ts'
import { type Logger, logLibraryMessage } from './logger.ts'

/** The dependencies of better-auth. */
export interface AuthParts {
  readonly database: OpenedDatabase
  /** Signs cookies and encrypts pending sign-ups; at least 32 characters. */
  readonly secret: string
  readonly publicUrl: string
  readonly log: Logger
}

const DAY_S = 86_400
/** Lifetime of a session after its last use, in seconds; a use extends it at most once a day. */
const SESSION_S = 30 * DAY_S
/** Milliseconds that a session has left when a use does not extend it. */
export const FRESH_SESSION_MS = (SESSION_S - DAY_S) * 1000

/** Random characters of an id, in addition to its prefix. */
const ID_LENGTH = 20
const ID_PREFIXES: Readonly<Record<string, string>> = { user: 'acc', session: 'ses' }

const SESSION_START = {
  method: 'POST',
  requireHeaders: true,
  metadata: { $Infer: { body: {} as { readonly userId: string } } },
} as const

/** Begins a session for an account, and ends the one that the browser already has, so that its cookie is never reused. */
const startSession = createAuthEndpoint.serverOnly(SESSION_START, async (ctx) => {
  const { userId } = ctx.body
  const { internalAdapter, authCookies, secret } = ctx.context
  const former = await ctx.getSignedCookie(authCookies.sessionToken.name, secret)
  const user = await internalAdapter.findUserById(userId)
  if (user === null) return null
  const session = await internalAdapter.createSession(userId)
  if (former) await internalAdapter.deleteSession(former)
  await setSessionCookie(ctx, { session, user })
  return session
})

/** Everything that could depend on NODE_ENV or on other variables of the environment is set. */
function buildOptions({ secret, publicUrl, log }: Omit<AuthParts, 'database'>) {
  return {
    appName: 'Siteprint',
    baseURL: publicUrl,
    // The variable BETTER_AUTH_SECRETS would override `secret`.
    secrets: [{ version: 1, value: secret }],
    user: {
      modelName: 'accounts',
      additionalFields: {
        plan: { type: 'string', input: false, defaultValue: FIRST_PLAN },
        suspendedAt: { type: 'date', input: false, required: false },
      },
    },
    session: { modelName: 'sessions', expiresIn: SESSION_S, updateAge: DAY_S, cookieCache: { enabled: false } },
    account: { modelName: 'credentials' },
    verification: { modelName: 'verifications', storeIdentifier: 'hashed' },
    advanced: {
      cookiePrefix: 'siteprint',
      useSecureCookies: publicUrl.startsWith('https:'),
      ipAddress: { disableIpTracking: true },
      disableOriginCheck: false,
      database: {
        // A function, because MongoDB's adapter would otherwise convert ids to ObjectId.
        generateId: ({ model }: { readonly model: string }) =>
          `${ID_PREFIXES[model] ?? 'aut'}_${makeRandomText(ID_LENGTH)}`,
        // The store creates the tables.
        validateSchema: false,
      },
    },
    // better-auth limits only its HTTP routes, which are not served. `Attempts` counts on all nodes.
    rateLimit: { enabled: false },
    telemetry: { enabled: false },
    logger: { level: 'warn', log: (level: string, message: string) => logLibraryMessage(log, level, message) },
    plugins: [{ id: 'siteprint', endpoints: { startSession } }],
  } satisfies BetterAuthOptions
}

export type Auth = Awaited<ReturnType<typeof openAuth>>
/** The parts of better-auth that read and write accounts, credentials, sessions and verifications. */
export type AuthContext = Awaited<Auth['$context']>

export async function openAuth({ database, ...parts }: AuthParts) {
  const options = buildOptions(parts)
  const adapter = await database.openAdapter(options)
  return betterAuth({ ...options, database: () => adapter })
}
