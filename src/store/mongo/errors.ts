import { MongoError, MongoServerError, MongoServerSelectionError } from 'mongodb'
import { SetupError } from '../../errors.ts'
import { StoreError } from '../types.ts'

/**
 * Milliseconds after which the server aborts an operator's change (`maxTimeMS`). Shorter than the timeout of the connection,
 * because a change that was reported as failed must not take effect later: a rotation would end a secret although its
 * successor was never shown.
 */
export const CHANGE_TIMEOUT_MS = 4000

const UNAUTHORIZED = 13
const AUTHENTICATION_FAILED = 18
const NAMESPACE_EXISTS = 48
const DOCUMENT_INVALID = 121
const DUPLICATE_KEY = 11000
const BACKGROUND_OPERATION_IN_PROGRESS = 12587

export function isDuplicate(error: unknown): boolean {
  return hasCode(error, DUPLICATE_KEY)
}

/** Whether a document with this id already exists. */
export function isTakenId(error: unknown): boolean {
  return isDuplicate(error) && '_id' in Object((error as MongoServerError).keyPattern)
}

/** Whether another key occupies the slot of an account that a key was to get. */
export function isTakenSlot(error: unknown): boolean {
  return isDuplicate(error) && 'slot' in Object((error as MongoServerError).keyPattern)
}

export function isExistingNamespace(error: unknown): boolean {
  return hasCode(error, NAMESPACE_EXISTS)
}

/** Whether an index of the collection is being built, during which its validator cannot be changed. */
export function isIndexBuild(error: unknown): boolean {
  return hasCode(error, BACKGROUND_OPERATION_IN_PROGRESS)
}

/** @returns the error itself if the request was invalid, such as a key that already exists; otherwise a StoreError */
export function toStoreError(error: unknown): unknown {
  if (!isFromServer(error) || isDuplicate(error) || hasCode(error, DOCUMENT_INVALID)) return error
  const code = error instanceof MongoServerError && error.codeName ? ` (${error.codeName})` : ''
  return new StoreError(`MongoDB could not be read or written: ${error.message}${code}`, { cause: error })
}

/**
 * Never contains the URL, which may include a password.
 * @param hosts the names of the servers, for the message
 * @returns an error that says what the operator has to fix before the store can be opened
 */
export function toSetupError(error: unknown, hosts: string): SetupError {
  if (error instanceof SetupError) return error
  if (hasCode(error, AUTHENTICATION_FAILED))
    return new SetupError(`MongoDB at ${hosts} rejects the user or password in MONGODB_URL: check both, and authSource`)
  if (hasCode(error, UNAUTHORIZED))
    return new SetupError(
      `MongoDB at ${hosts} does not allow the user in MONGODB_URL to prepare the database: set a user in MONGODB_URL that has the roles readWrite and dbAdmin`,
    )
  const reason = error instanceof Error ? error.message : String(error)
  if (error instanceof MongoServerError && !(error instanceof MongoServerSelectionError))
    return new SetupError(`MongoDB at ${hosts} could not be prepared: ${reason}`)
  return new SetupError(
    `MongoDB at ${hosts} does not answer: check that MongoDB is running, that this machine can reach it, and that MONGODB_URL is correct (${reason})${findAdvice(reason)}`,
  )
}

/** @returns an additional sentence for errors whose message does not say what to do, or an empty text */
function findAdvice(reason: string): string {
  const [, advice] = ADVICE.find(([pattern]) => pattern.test(reason)) ?? []
  return advice === undefined ? '' : `. ${advice}.`
}

const ADVICE: readonly (readonly [RegExp, string])[] = [
  [
    /certificate/i,
    'The certificate is not trusted: set its certificate authority in MONGODB_URL, with tlsCAFile=<file>',
  ],
  [/secure TLS|SSL|wrong version/i, 'MONGODB_URL requires TLS, which the server does not seem to support'],
  [/^ENOENT|^EACCES/, 'MONGODB_URL names a file that cannot be read'],
  [/connection <monitor>[^<]* closed/, 'If the server requires TLS, add tls=true to MONGODB_URL'],
  [/Server selection timed out/, 'If MONGODB_URL sets replicaSet, check its value'],
]

/** Includes Node's errors of a connection that ends during a write, which the driver passes on unchanged. */
function isFromServer(error: unknown): error is Error {
  if (error instanceof MongoError) return true
  return error instanceof Error && 'code' in error && /^(?:E[A-Z]+|ERR_(?:STREAM|SOCKET)_\w+)$/.test(String(error.code))
}

function hasCode(error: unknown, code: number): boolean {
  return error instanceof MongoServerError && error.code === code
}
