import { expect } from 'vitest'
import { SetupError } from '../../src/errors.ts'
import { openStore, type StoreSettings } from '../../src/store/open/open-store.ts'

export const PEPPER = 'a pepper of the tests, at least 32'
export const OTHER = 'another pepper of the tests, 32 too'

/** Opens and closes a store, and returns its pepper. */
export async function readPepper(settings: StoreSettings, role: 'server' | 'tool' = 'server'): Promise<string> {
  const { store, pepper } = await openStore(settings, { role })
  await store.close()
  return pepper
}

/** Returns the message of the SetupError that a call throws, which must not contain a pepper. */
export async function readSetupError(opening: Promise<unknown>): Promise<string> {
  const error = await opening.then(
    () => new Error('no error'),
    (thrown: unknown) => thrown,
  )
  expect(error).toBeInstanceOf(SetupError)
  const { message } = error as SetupError
  expect(message).not.toContain(PEPPER)
  expect(message).not.toContain(OTHER)
  return message
}

/** The message of the error if neither the pepper nor an old one is known. */
export const formatMismatch = (source: string): string =>
  `${source} is not the pepper that this store was first opened with, so no existing key would work. Restore the former pepper.`
