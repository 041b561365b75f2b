import { randomBytes, scryptSync } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { type HashClient, PasswordHasher } from '../../src/accounts/password-hasher.ts'

const CLIENT = { path: ['192.0.2.1'], isTrusted: false }
const PASSWORD = 'a long and unusual pässword'

test('by default a password is hashed with scrypt, its full cost and a salt of its own', async () => {
  const hasher = new PasswordHasher()
  const [first, second] = await Promise.all([hasher.hash(PASSWORD), hasher.hash(PASSWORD)])
  const [salt, key] = first.split(':')
  expect(salt).toMatch(/^[0-9a-f]{32}$/)
  const cost = { N: 2 ** 14, r: 16, p: 1, maxmem: 2 ** 26 }
  expect(key).toBe(scryptSync(PASSWORD.normalize('NFKC'), salt, 64, cost).toString('hex'))
  expect(second.split(':')[0]).not.toBe(salt)
  expect(await hasher.verify(PASSWORD, first, CLIENT)).toBe(true)
  expect(await hasher.verify(`${PASSWORD}.`, first, CLIENT)).toBe(false)
})

test('without a hash any password is wrong', async () => {
  expect(await new PasswordHasher().verify(randomBytes(8).toString('hex'), null, CLIENT)).toBe(false)
})

describe('the queue of hashes', () => {
  const stranger = (...path: string[]): HashClient => ({ path, isTrusted: false })
  const trusted = (...path: string[]): HashClient => ({ path, isTrusted: true })

  /** A hasher whose hashes are computed one by one. */
  function openHasher() {
    const running: (() => void)[] = []
    const compute = () => new Promise<string>((resolve) => running.push(() => resolve('')))
    const hasher = new PasswordHasher({ hash: compute, verify: async () => (await compute()) === '' })
    const done: string[] = []
    /** Begins a hash, and records its name when it is computed, or that it was rejected. */
    const start = (name: string, client: HashClient): Promise<void> =>
      hasher.verify(PASSWORD, 'hash', client).then(
        () => void done.push(name),
        () => void done.push(`no ${name}`),
      )
    const finishAll = async (): Promise<readonly string[]> => {
      for (let i = 0; i < 2000; i++) {
        running.shift()?.()
        await Promise.resolve()
      }
      return done
    }
    return { start, finishAll, done, running }
  }

  test('two run at a time', async () => {
    const { start, running } = openHasher()
    for (let i = 0; i < 5; i++) void start(`${i}`, stranger(`${i}`))
    for (let i = 0; i < 10; i++) await Promise.resolve()
    expect(running).toHaveLength(2)
  })

  test('sixty at once from sixty addresses are all computed', async () => {
    const { start, finishAll } = openHasher()
    for (let i = 0; i < 60; i++) void start(`${i}`, stranger(`192.0.2.${i}`))
    expect(await finishAll()).toEqual(Array.from({ length: 60 }, (_, i) => `${i}`))
  })

  test('a crowd is rejected, and a single client is served after the first of the crowd', async () => {
    const { start, finishAll, done } = openHasher()
    for (let i = 0; i < 600; i++) void start(`crowd ${i}`, stranger('n', 'm', `${i % 200}`))
    void start('single', stranger('192.0.2.1'))
    await Promise.resolve()
    await finishAll()
    expect(done.filter((name) => name.startsWith('no '))).toHaveLength(600 - 2 - 512 + 1)
    expect(done.filter((name) => !name.startsWith('no ')).slice(0, 4)).toContain('single')
  })

  test('trusted clients come first, and leave every fourth hash to strangers', async () => {
    const { start, finishAll } = openHasher()
    for (const name of ['a', 'b']) void start(name, stranger(name))
    for (let i = 0; i < 4; i++) void start(`stranger ${i}`, stranger(`${i}`))
    for (let i = 0; i < 6; i++) void start(`trusted ${i}`, trusted(`${i}`))
    expect(await finishAll()).toEqual([
      ...['a', 'b'],
      ...['trusted 0', 'trusted 1', 'trusted 2', 'stranger 0'],
      ...['trusted 3', 'trusted 4', 'trusted 5', 'stranger 1', 'stranger 2', 'stranger 3'],
    ])
  })
})
