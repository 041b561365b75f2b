import { randomBytes } from 'node:crypto'
import { closeSync, fsyncSync, linkSync, openSync, readFileSync, unlinkSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { SetupError } from '../errors.ts'
import { createFolder } from './create-folder.ts'

/** A secret that the embedded store generates and keeps in its folder. */
export interface SecretFile {
  /** Name of the file in the folder. */
  readonly file: string
  /** The setting that replaces it. */
  readonly setting: string
  /** Its name in messages. */
  readonly noun: string
}

/** The pepper that keys are hashed with. Without it, the keys are worthless. */
export const PEPPER: SecretFile = { file: 'pepper', setting: 'KEY_PEPPER', noun: 'pepper' }
/** The secret that signs the cookies of the portal. */
export const AUTH_SECRET: SecretFile = { file: 'auth-secret', setting: 'AUTH_SECRET', noun: 'secret' }

/**
 * Loads a secret of the embedded store, which has at least 32 characters.
 * @param folder created with mode 0700 if it is missing
 * @param mayCreate creates a missing secret: 32 random bytes in base64url
 * @throws SetupError if the secret is missing, too short, or cannot be read or created
 */
export function loadSecret(secret: SecretFile, folder: string, { mayCreate }: { readonly mayCreate: boolean }): string {
  const file = join(folder, secret.file)
  try {
    const text = readSecret(secret, folder)
    if (text !== null) return text
    if (mayCreate) return createSecret(secret, folder)
    throw new SetupError(`${file} is missing: ${describeRemedy(secret)}`)
  } catch (error) {
    if (error instanceof SetupError) throw error
    const { code } = error as NodeJS.ErrnoException
    throw new SetupError(
      `${file} cannot be read or created (${code}): check that this user can read and write there, or set ${secret.setting}`,
    )
  }
}

/**
 * @returns null if there is no such file
 * @throws SetupError if the secret is too short, or a system error if the file cannot be read
 */
export function readSecret(secret: SecretFile, folder: string): string | null {
  const file = join(folder, secret.file)
  let text: string
  try {
    text = readFileSync(file, 'utf8').trim()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
  if (text.length < 32) throw new SetupError(`${file} is empty or truncated: ${describeRemedy(secret)}`)
  return text
}

function describeRemedy({ noun, setting }: SecretFile): string {
  return `restore the ${noun} from a backup, or set ${setting} to it`
}

/** Writes a temporary file and links it: a crash leaves no partial secret, and the first of several processes wins. */
function createSecret(secret: SecretFile, folder: string): string {
  const file = join(folder, secret.file)
  const part = `${file}.${randomBytes(8).toString('hex')}`
  createFolder(folder)
  try {
    writeSynced(part, randomBytes(32).toString('base64url'))
    linkSync(part, file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    deleteIfExists(part)
  }
  syncFolder(folder)
  const text = readSecret(secret, folder)
  if (text === null)
    throw new SetupError(
      `${file} is a symbolic link to a missing file: remove it, or restore the ${secret.noun} from a backup`,
    )
  return text
}

/** Like `rmSync` with `force`, for which Node loads its code for deleting folders: 10 ms of a first start. */
function deleteIfExists(file: string): void {
  try {
    unlinkSync(file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
}

/** Writes a copy of a secret into another folder, readable only by its owner. */
export function copySecret({ file }: SecretFile, text: string, folder: string): void {
  writeSynced(join(folder, file), text)
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
