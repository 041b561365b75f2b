import { SetupError } from '../../errors.ts'
import { StoreError } from '../types.ts'

/** `SQLITE_BUSY` and the like, `EACCES` and the like; of errors of the binding itself, which have no code, their message. */
function codeOf(error: unknown): string {
  const { code, message } = error as { readonly code?: string; readonly message?: string }
  return code || message || 'unknown'
}

/** Another connection holds what this one needs. */
export function isBusy(error: unknown): boolean {
  return codeOf(error).startsWith('SQLITE_BUSY')
}

/** @returns the error itself where the request was wrong (a key that is there already), else a StoreError */
export function storeFault(error: unknown): unknown {
  if (error instanceof StoreError || codeOf(error).startsWith('SQLITE_CONSTRAINT')) return error
  return new StoreError(`the database could not be read or written: ${codeOf(error)}`, { cause: error })
}

/** @returns what an operator has to set right before `file` can be opened */
export function setupFault(error: unknown, file: string): SetupError {
  if (error instanceof SetupError) return error
  const code = codeOf(error)
  if (/^SQLITE_(NOTADB|CORRUPT)/.test(code))
    return new SetupError(`${file} is damaged, or no database of Siteprint: put a backup in its place`)
  if (isBusy(error)) return new SetupError(`${file} is held by another program: end that program, or try again`)
  if (/^(?:EROFS|SQLITE_READONLY)/.test(code))
    return new SetupError(
      `${file} cannot be written (${code}): mount its folder writable, let this user write there, or set DATA_DIR to another folder`,
    )
  if (/^(?:ENOSPC|EDQUOT|SQLITE_FULL)/.test(code))
    return new SetupError(
      `${file} cannot be written, as the disk is full (${code}): make room, or set DATA_DIR to a folder on another disk`,
    )
  return new SetupError(
    `${file} cannot be opened: check that its folder can be made, that this user may read and write there, and that the disk is not full (${code})`,
  )
}
