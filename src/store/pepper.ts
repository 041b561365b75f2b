import { randomBytes } from 'node:crypto'
import { closeSync, fsyncSync, linkSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { SetupError } from '../errors.ts'
import { createFolder } from './create-folder.ts'

/** Name of the pepper's file in the folder of the embedded store. */
export const PEPPER_FILE = 'pepper'

/**
 * Loads the pepper of the embedded store, which has at least 32 characters.
 * @param folder created with mode 0700 if it is missing
 * @param mayCreate creates a missing pepper: 32 random bytes in base64url
 * @throws SetupError if the pepper is missing, too short, or cannot be read or created
 */
export function loadPepper(folder: string, { mayCreate }: { readonly mayCreate: boolean }): string {
  const file = join(folder, PEPPER_FILE)
  try {
    const pepper = readPepper(file)
    if (pepper !== null) return pepper
    if (mayCreate) return createPepper(folder, file)
    throw new SetupError(`${file} is missing: restore the pepper from a backup, or set KEY_PEPPER to it`)
  } catch (error) {
    if (error instanceof SetupError) throw error
    const { code } = error as NodeJS.ErrnoException
    throw new SetupError(
      `${file} cannot be read or created (${code}): check that this user can read and write there, or set KEY_PEPPER`,
    )
  }
}

/**
 * @returns null if there is no such file
 * @throws SetupError if the pepper is too short, or a system error if the file cannot be read
 */
export function readPepper(file: string): string | null {
  let text: string
  try {
    text = readFileSync(file, 'utf8').trim()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
  if (text.length < 32)
    throw new SetupError(`${file} is empty or truncated: restore the pepper from a backup, or set KEY_PEPPER to it`)
  return text
}

/** Writes a temporary file and links it: a crash leaves no partial pepper, and the first of several processes wins. */
function createPepper(folder: string, file: string): string {
  const part = `${file}.${randomBytes(8).toString('hex')}`
  createFolder(folder)
  try {
    writeSynced(part, randomBytes(32).toString('base64url'))
    linkSync(part, file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    rmSync(part, { force: true })
  }
  syncFolder(folder)
  const pepper = readPepper(file)
  if (pepper === null)
    throw new SetupError(`${file} is a link to a missing file: remove it, or restore the pepper from a backup`)
  return pepper
}

/** Writes a copy of a pepper into another folder, readable only by its owner. */
export function copyPepper(pepper: string, folder: string): void {
  writeSynced(join(folder, PEPPER_FILE), pepper)
  syncFolder(folder)
}

/** Creates a file and syncs it to the disk, because keys are worthless without their pepper. */
function writeSynced(file: string, text: string): void {
  const descriptor = openSync(file, 'wx', 0o600)
  try {
    writeSync(descriptor, `${text}\n`)
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

/** Syncs the folder's entry of a new file to the disk. */
function syncFolder(folder: string): void {
  const descriptor = openSync(folder, 'r')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}
