import { parse } from 'csv-parse/sync'
import { beforeAll, describe, expect, test } from 'vitest'
import { NEXT_YEAR, scanOf } from '../http/app-fixture.ts'
import { findAppKind } from '../http/app-kinds.ts'
import { findSecrets, openPeople, type People, type Person, readText } from './people.ts'

const MONTH = `${NEXT_YEAR}-05`

const kind = await findAppKind('portal-slots')
describe.skipIf(kind.isMissing).each([kind])('slots in the portal, $name', (kind) => {
  let portal: People
  beforeAll(async () => {
    portal = await openPeople(kind)
  })

  /** Creates a key with the form. @returns its secret */
  async function createKey(person: Person, name: string): Promise<string> {
    portal.clock.now += 1000
    const { status, html } = await person.post('/account/keys', { name, revision: '' })
    expect(status).toBe(200)
    return findSecrets(html)[0]
  }

  async function revokeKey(person: Person): Promise<void> {
    portal.clock.now += 1000
    const [active] = (await person.keys()).filter(({ revokedAt }) => revokedAt === null)
    expect((await person.post(`/account/keys/${active.id}/revoke`)).status).toBe(303)
  }

  const scan = async (secret: string): Promise<number> =>
    (await portal.call({ url: scanOf('https://example.org'), secret })).status

  test('revoking and creating keys gives an account neither more requests a minute nor more a month', async () => {
    const person = await portal.createPerson('free')
    const statuses: number[] = []
    for (let round = 0; round < 10; round++) {
      const secret = await createKey(person, `Key ${round}`)
      for (let i = 0; i < 4; i++) statuses.push(await scan(secret))
      await revokeKey(person)
    }
    expect(statuses.filter((status) => status === 200)).toHaveLength(10)
    expect(statuses.filter((status) => status === 429)).toHaveLength(30)
  })

  /** An account with a key that has replaced another one. */
  async function createWithTwoKeys(): Promise<Person> {
    // A minute of its own.
    portal.clock.now += 60_000
    const person = await portal.createPerson('free')
    const first = await createKey(person, 'First')
    for (let i = 0; i < 3; i++) expect(await scan(first)).toBe(200)
    await revokeKey(person)
    expect(await scan(await createKey(person, 'Second'))).toBe(200)
    return person
  }

  describe('an account that replaced its only key', () => {
    test('sees the requests of the slot with the key that is in it, and none with the revoked one', async () => {
      const person = await createWithTwoKeys()
      const text = readText((await person.get('/account/keys')).html)
      const [active, revoked] = text.split('revoked key')
      expect(active).toContain('Slot 1 Requests this month 4 of 100 Last used')
      expect(active).toContain('Other keys were in this slot this month. Their requests count here, too.')
      expect(active).toContain('A new key takes a free slot of your account')
      expect(revoked).toContain('Slot 1')
      expect(revoked).not.toContain('Requests this month')
    })
  })

  describe('an account with a third key that was not used yet', () => {
    let person: Person
    beforeAll(async () => {
      person = await createWithTwoKeys()
      await revokeKey(person)
      await createKey(person, 'Third')
    })

    test('sees it as such', async () => {
      const [, , third] = await person.keys()
      const text = readText((await person.get(`/account/keys/${third.id}`)).html)
      expect(text).toContain('Requests this month 4 of 100 Last used Not in the last year')
    })

    test('sees one row for the slot, and each request once', async () => {
      const { html } = await person.get('/account')
      const text = readText(html)
      expect(text).toContain('Used 4 requests Left 96 Resets on')
      expect(text).toContain('a key that replaces another one continues its counts')
      const keys = (await person.keys()).map(({ name, secrets }) => `${name} spk_live_…${secrets[0].lastFour}`)
      expect(text).toContain(
        `Slot Key Used Left 1 ${keys[2]} before: ${keys[1]} (revoked) before: ${keys[0]} (revoked) 4 96`,
      )
    })

    test('downloads the requests of the slot with the key that was in it at the end of the day', async () => {
      const { html } = await person.get(`/account/usage.csv?month=${MONTH}`)
      const [, ...rows] = parse(html, { bom: true }) as string[][]
      const { id } = (await person.keys())[2]
      expect(rows.map(([, day, slot, key, name, , used]) => [day, slot, key, name, used])).toEqual([
        [`${MONTH}-10`, '1', id, 'Third', '4'],
      ])
    })
  })
})
