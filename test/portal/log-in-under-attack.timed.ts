import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { PasswordHasher } from '../../src/accounts/password-hasher.ts'
import { findServers } from '../http/app-kinds.ts'
import { openPortal, PASSWORD, type TestBrowser } from './portal-fixture.ts'

const ATTACKERS = 200
/** Each address guesses 10 times a minute. */
const GUESS_EVERY_MS = 6000
const LOG_INS = 60
/** The promise for a machine that hashes a password in a tenth of a second. A slower one gets as many times its own hash. */
const LIMIT_MS = 2000
const HASHES = 20
const ACCOUNTS = 4

async function measure(run: () => Promise<unknown>): Promise<number> {
  const start = performance.now()
  await run()
  return performance.now() - start
}

// The hasher decides who waits, with any store: those of the servers are the slower ones.
const servers = await findServers('log-ins under attack')
describe.skipIf(servers.isMissing)(`on ${servers.name}`, () => {
  // Every password is hashed with scrypt. The guesses name different accounts, so that no limit of an account spares a hash.
  test('a known browser logs in within 2 s while 200 addresses guess and 60 people log in at once', async () => {
    const hasher = new PasswordHasher()
    const hashMs = await measure(() => hasher.hash(PASSWORD))
    const options = { stores: await servers.open(), settings: { trustProxy: 1 }, hasher }
    const portal = await openPortal(options)
    const emails = Array.from({ length: ACCOUNTS }, (_, i) => `owner-${i}-${Date.now()}@harbourline.example`)
    const owners: TestBrowser[] = []
    for (const email of emails) owners.push((await portal.signUp(email)).browser)
    const [known] = owners
    await known.send({ path: '/logout', form: {} })

    const logIn = async (browser: TestBrowser, email: string, password: string, address: string): Promise<number> => {
      const headers = { 'x-forwarded-for': address }
      return (await browser.send({ path: '/login', form: { email, password }, headers })).status
    }
    let hasEnded = false
    const attack = async (i: number): Promise<void> => {
      const browser = portal.openBrowser()
      await sleep((GUESS_EVERY_MS / ATTACKERS) * i)
      for (let n = 0; !hasEnded; n++) {
        const guess = logIn(browser, `victim-${i}-${n}@harbourline.example`, 'a guess of it', `203.0.113.${i}`)
        await Promise.all([guess, sleep(GUESS_EVERY_MS)])
      }
    }
    const attacks = Array.from({ length: ATTACKERS }, (_, i) => attack(i))
    await sleep(GUESS_EVERY_MS / 2)
    let crowdDone = 0
    const crowd = Array.from({ length: LOG_INS }, async (_, i) => {
      const status = await logIn(portal.openBrowser(), emails[i % ACCOUNTS], PASSWORD, `198.51.100.${i}`)
      crowdDone++
      return status
    })
    const tookMs = await measure(async () => expect(await logIn(known, emails[0], PASSWORD, '192.0.2.1')).toBe(303))
    hasEnded = true
    // It waits for the hash that is being computed, and for its own.
    expect(tookMs).toBeLessThan(Math.max(LIMIT_MS, HASHES * hashMs))
    expect(crowdDone).toBeLessThan(LOG_INS / 4)
    expect(await Promise.all(crowd)).toEqual(Array(LOG_INS).fill(303))
    await Promise.all(attacks)
  }, 240_000)
})
