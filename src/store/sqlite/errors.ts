import { SetupError } from '../../errors.ts'
import { StoreError } from '../types.ts'

/** Returns the code of an error, such as `SQLITE_BUSY`, or the message of an error of the binding itself, which has none. */
function readErrorCode(error: unknown): string {
  const { code, message } = error as { readonly code?: string; readonly message?: string }
  return code || message || 'unknown'
}

/** Whether another connection holds a lock that this one needs. */
export function isBusy(error: unknown): boolean {
  return readErrorCode(error).startsWith('SQLITE_BUSY')
}

/** Whether the disk or the memory failed, in which case only a part of several statements may have run. */
export function isStorageFailure(error: unknown): boolean {
  return /^SQLITE_(?:FULL|IOERR|NOMEM|CORRUPT)/.test(readErrorCode(error))
}

/** @returns the error itself if the request was invalid, such as a key that already exists; otherwise a StoreError */
export function toStoreError(error: unknown): unknown {
  if (error instanceof StoreError || readErrorCode(error).startsWith('SQLITE_CONSTRAINT')) return error
  return new StoreError(`the database could not be read or written: ${readErrorCode(error)}`, { cause: error })
}

/** @returns an error that says what the operator has to fix before `file` can be opened */
export function toSetupError(error: unknown, file: string): SetupError {
  if (error instanceof SetupError) return error
  const code = readErrorCode(error)
  if (/^SQLITE_(NOTADB|CORRUPT)/.test(code))
    return new SetupError(`${file} is damaged, or not a Siteprint database: replace it with a backup`)
  if (isBusy(error)) return new SetupError(`${file} is locked by another program: end that program, or try again`)
  if (/^(?:EROFS|SQLITE_READONLY)/.test(code))
    return new SetupError(
      `${file} cannot be written (${code}): mount its folder writable, give this user write permission, or set DATA_DIR to another folder`,
    )
  if (/^(?:ENOSPC|EDQUOT|SQLITE_FULL)/.test(code))
    return new SetupError(
      `${file} cannot be written because the disk is full (${code}): free some space, or set DATA_DIR to a folder on another disk`,
    )
  return new SetupError(
    `${file} cannot be opened: check that its folder can be created, that this user can read and write it, and that the disk is not full (${code})`,
  )
}
