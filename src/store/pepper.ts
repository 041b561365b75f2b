import { randomBytes } from 'node:crypto'
import { closeSync, fsyncSync, linkSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { SetupError } from '../errors.ts'
import { makeFolder } from './make-folder.ts'

/** The pepper's file in the folder of the embedded store. */
export const PEPPER_FILE = 'pepper'

/**
 * The pepper of the embedded store, at least 32 characters.
 * @param folder made with mode 0700 where it is missing
 * @param mayMake makes a pepper where there is none: 32 random bytes in base64url
 * @throws SetupError when it is missing, too short, or cannot be read or made
 */
export function loadPepper(folder: string, { mayMake }: { readonly mayMake: boolean }): string {
  const file = join(folder, PEPPER_FILE)
  try {
    const pepper = readPepper(file)
    if (pepper !== null) return pepper
    if (mayMake) return makePepper(folder, file)
    throw new SetupError(`${file} is missing: put the pepper of a backup in its place, or set KEY_PEPPER to it`)
  } catch (error) {
    if (error instanceof SetupError) throw error
    const { code } = error as NodeJS.ErrnoException
    throw new SetupError(
      `${file} cannot be read or made (${code}): check that this user may read and write there, or set KEY_PEPPER`,
    )
  }
}

/**
 * @returns null when there is no such file
 * @throws SetupError when it is too short; what reading a file throws
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
    throw new SetupError(
      `${file} is empty or cut off: put the pepper of a backup in its place, or set KEY_PEPPER to it`,
    )
  return text
}

/** Written whole under another name and linked: a crash leaves no half file, and of several processes one is first. */
function makePepper(folder: string, file: string): string {
  const part = `${file}.${randomBytes(8).toString('hex')}`
  makeFolder(folder)
  try {
    writeThrough(part, randomBytes(32).toString('base64url'))
    linkSync(part, file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    rmSync(part, { force: true })
  }
  syncFolder(folder)
  const pepper = readPepper(file)
  if (pepper === null)
    throw new SetupError(`${file} leads nowhere: remove it, or put the pepper of a backup in its place`)
  return pepper
}

/** Puts a copy of a pepper into another folder, for its owner alone. */
export function copyPepper(pepper: string, folder: string): void {
  writeThrough(join(folder, PEPPER_FILE), pepper)
  syncFolder(folder)
}

/** A new file that is on the disk when this returns: without its pepper no key is worth anything. */
function writeThrough(file: string, text: string): void {
  const descriptor = openSync(file, 'wx', 0o600)
  try {
    writeSync(descriptor, `${text}\n`)
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

/** The name of a new file is on the disk as well. */
function syncFolder(folder: string): void {
  const descriptor = openSync(folder, 'r')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}
