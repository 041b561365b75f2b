import { randomBytes, scrypt } from 'node:crypto'
import { promisify } from 'node:util'
import { PasswordHasher } from '../../src/accounts/password-hasher.ts'

const compute = promisify<string, string, number, { N: number }, Buffer>(scrypt)
const COST = { N: 2 }

/**
 * Returns a hasher whose hashes cost almost nothing, for tests that are not about the hash or its time: a real hash
 * takes a tenth of a second of a core.
 * @param wait called before each hash is computed, for tests of what happens meanwhile
 */
export function openCheapHasher(wait: () => Promise<void> = async () => {}): PasswordHasher {
  const hashWith = async (password: string, salt: string): Promise<string> => {
    await wait()
    return `${salt}:${(await compute(password, salt, 32, COST)).toString('hex')}`
  }
  return new PasswordHasher({
    hash: (password) => hashWith(password, randomBytes(8).toString('hex')),
    verify: async ({ hash, password }) => hash === (await hashWith(password, hash.split(':', 1)[0])),
  })
}
