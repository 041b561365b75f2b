import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { SetupError } from '../errors.ts'
import type { Lifecycles } from './lifecycle-types.ts'

/** The build copies this file to the same place below dist. */
const FILE = join(import.meta.dirname, '..', '..', 'rules', 'lifecycles.json')

let own: Lifecycles | undefined

/** Reads the lifecycles that come with Siteprint, once, when the first result needs them. @throws SetupError if the file is missing or damaged */
export function openLifecycles(): Lifecycles {
  try {
    return (own ??= JSON.parse(readFileSync(FILE, 'utf8')) as Lifecycles)
  } catch (error) {
    throw new SetupError(`${FILE}: ${(error as Error).message}; install Siteprint again`)
  }
}
