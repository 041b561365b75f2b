import { MongoError, MongoServerError, MongoServerSelectionError } from 'mongodb'
import { SetupError } from '../../errors.ts'
import { StoreError } from '../types.ts'

/**
 * Milliseconds after which the server gives up an operator's change (`maxTimeMS`), before the connection does: a change
 * that was reported as failed must not be carried out later. A rotation would end a secret whose successor nobody was shown.
 */
export const CHANGE_MS = 4000

const UNAUTHORIZED = 13
const AUTHENTICATION_FAILED = 18
const NAMESPACE_EXISTS = 48
const DOCUMENT_INVALID = 121
const DUPLICATE_KEY = 11000

export function isDuplicate(error: unknown): boolean {
  return hasCode(error, DUPLICATE_KEY)
}

export function isThereAlready(error: unknown): boolean {
  return hasCode(error, NAMESPACE_EXISTS)
}

/** @returns the error itself where the request was wrong (a key that is there already), else a StoreError */
export function storeFault(error: unknown): unknown {
  if (!isFromServer(error) || isDuplicate(error) || hasCode(error, DOCUMENT_INVALID)) return error
  const code = error instanceof MongoServerError && error.codeName ? ` (${error.codeName})` : ''
  return new StoreError(`MongoDB could not be read or written: ${error.message}${code}`, { cause: error })
}

/**
 * Never names the URL, which may hold a password.
 * @param hosts the servers' names, for people
 * @returns what an operator has to set right before the store can be opened
 */
export function setupFault(error: unknown, hosts: string): SetupError {
  if (error instanceof SetupError) return error
  if (hasCode(error, AUTHENTICATION_FAILED))
    return new SetupError(`MongoDB at ${hosts} refuses the user or password of MONGODB_URL: check both, and authSource`)
  if (hasCode(error, UNAUTHORIZED))
    return new SetupError(
      `MongoDB at ${hosts} does not let the user of MONGODB_URL prepare the database: name a user in MONGODB_URL, and give it the roles readWrite and dbAdmin`,
    )
  const reason = error instanceof Error ? error.message : String(error)
  if (error instanceof MongoServerError && !(error instanceof MongoServerSelectionError))
    return new SetupError(`MongoDB at ${hosts} could not be prepared: ${reason}`)
  return new SetupError(
    `MongoDB at ${hosts} does not answer: check that it runs, that this machine may reach it, and MONGODB_URL (${reason})${adviceOn(reason)}`,
  )
}

/** What to do about a reason that does not say so itself: a sentence after the others, or nothing. */
function adviceOn(reason: string): string {
  const [, advice] = ADVICE.find(([pattern]) => pattern.test(reason)) ?? []
  return advice === undefined ? '' : `. ${advice}.`
}

const ADVICE: readonly (readonly [RegExp, string])[] = [
  [/certificate/i, 'Its certificate is not trusted: name its authority in MONGODB_URL, with tlsCAFile=<file>'],
  [/secure TLS|SSL|wrong version/i, 'MONGODB_URL asks for TLS, which the server does not seem to speak'],
  [/^ENOENT|^EACCES/, 'MONGODB_URL names a file that cannot be read'],
  [/connection <monitor>[^<]* closed/, 'If the server wants TLS, add tls=true to MONGODB_URL'],
  [/Server selection timed out/, 'If MONGODB_URL has replicaSet, check that name'],
]

/** Also what Node says of a connection that ends while it is written to: the driver hands that on as it is. */
function isFromServer(error: unknown): error is Error {
  if (error instanceof MongoError) return true
  return error instanceof Error && 'code' in error && /^(?:E[A-Z]+|ERR_(?:STREAM|SOCKET)_\w+)$/.test(String(error.code))
}

function hasCode(error: unknown, code: number): boolean {
  return error instanceof MongoServerError && error.code === code
}
