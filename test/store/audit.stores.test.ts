import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { MAX_HARMLESS_ENTRIES, MAX_OWN_EVENTS_PER_DAY } from '../../src/store/audit-rule.ts'
import type { AuditAction, AuditEntry, AuditEvent } from '../../src/store/audit-types.ts'
import type { Store } from '../../src/store/types.ts'
import { findStoreKind } from './open-stores.ts'

const START = Date.UTC(2026, 4, 1)
const DAY_MS = 86_400_000
let count = 0

/** A unique event, a millisecond later than the previous one. */
function sampleEvent(change: Partial<AuditEvent> = {}): AuditEvent {
  const at = new Date(START + count++)
  const source = { command: null, machine: 'node-1' }
  return { at, action: 'plan_changed', actor: 'admin', account: 'anna', key: null, detail: 'pro', ...source, ...change }
}

/** The entry of one event. */
const toEntry = (event: AuditEvent): AuditEntry => ({ ...event, count: 1, firstAt: null })

const kind = findStoreKind('audit')
describe.skipIf(kind.isMissing).each([kind])('audit entries in $name', ({ openBoth }) => {
  let store: Store
  let other: Store
  beforeAll(async () => {
    ;[store, other] = await openBoth()
  })
  afterAll(async () => {
    await store?.close()
    await other?.close()
  })

  test.each([
    ['an ordinary entry', {}],
    ['by the operator', { actor: null, key: 'key_1', detail: null, command: 'keys revoke' }],
    ['of an earlier version', { machine: null }],
    ['quotes', { detail: `O'Hara "the"; DROP TABLE audit; --` }],
    ['operators', { detail: '$where', key: '$key' }],
    ['NUL', { detail: 'one\0two\0' }],
    ['emoji', { detail: '🏄‍♀️ 漢字' }],
  ])('an entry is stored unchanged: %s', async (account, change) => {
    const entry = sampleEvent({ account, ...change })
    await store.audit.addAudit(entry)
    expect(await other.audit.listAudit({ account, limit: 10 })).toEqual([toEntry(entry)])
    expect((await other.audit.listAudit({ account: null, limit: 1 }))[0]).toEqual(toEntry(entry))
  })

  test('lists contain the newest entries of one account, or of all', async () => {
    const entries = ['x', 'y', 'x', null, 'x'].map((account) => sampleEvent({ account }))
    for (const entry of entries) await store.audit.addAudit(entry)
    const [first, second, third, service, last] = entries
    expect(await other.audit.listAudit({ account: 'x', limit: 10 })).toEqual([last, third, first].map(toEntry))
    expect(await other.audit.listAudit({ account: 'x', limit: 2 })).toEqual([last, third].map(toEntry))
    expect(await other.audit.listAudit({ account: null, limit: 4 })).toEqual(
      [last, service, third, second].map(toEntry),
    )
    expect(await other.audit.listAudit({ account: 'unknown', limit: 10 })).toEqual([])
  })

  test('lists may begin at a time', async () => {
    const later = Date.UTC(2040, 0, 1) // Later than the entries of other tests.
    const entries = ['p', 'p', 'q', 'p'].map((account, i) => sampleEvent({ account, at: new Date(later + i) }))
    for (const entry of entries) await store.audit.addAudit(entry)
    const [, second, third, last] = entries
    expect(await other.audit.listAudit({ account: 'p', since: second.at, limit: 10 })).toEqual(
      [last, second].map(toEntry),
    )
    expect(await other.audit.listAudit({ account: null, since: third.at, limit: 10 })).toEqual(
      [last, third].map(toEntry),
    )
    expect(await other.audit.listAudit({ account: null, since: second.at, limit: 1 })).toEqual([last].map(toEntry))
    expect(await other.audit.listAudit({ account: 'p', since: new Date(last.at.getTime() + 1), limit: 9 })).toEqual([])
  })

  test('lists may contain only some actions', async () => {
    const entries = (['key_created', 'plan_changed', 'key_revoked'] as const).map((action) =>
      sampleEvent({ account: 'kinds', action }),
    )
    for (const entry of entries) await store.audit.addAudit(entry)
    const list = (...actions: AuditAction[]) => other.audit.listAudit({ account: 'kinds', actions, limit: 9 })
    expect(await list('key_revoked', 'key_created')).toEqual([entries[2], entries[0]].map(toEntry))
    expect(await list('account_deleted')).toEqual([])
  })

  /** An event that the owner of an account causes. */
  const ownEvent = (account: string, change: Partial<AuditEvent>): AuditEvent =>
    sampleEvent({ actor: account, account, detail: null, ...change })
  /** Adds events on two nodes, many at once. */
  async function addAll(events: readonly AuditEvent[]): Promise<void> {
    for (let n = 0; n < events.length; n += 40) {
      const batch = events.slice(n, n + 40)
      await Promise.all(batch.map((event, i) => (i % 2 === 0 ? store : other).audit.addAudit(event)))
    }
  }

  test('1,010 renamings of an account and of a key displace nothing', async () => {
    const kept = [
      ownEvent('vandal', { action: 'account_created' }),
      sampleEvent({ account: 'vandal', action: 'plan_changed' }),
      ownEvent('vandal', { action: 'key_created', key: 'key_1' }),
      sampleEvent({ account: 'vandal', action: 'account_verified' }),
    ]
    await addAll(kept)
    const from = START + count
    await addAll(Array.from({ length: 1010 }, () => ownEvent('vandal', { action: 'account_renamed' })))
    await addAll(Array.from({ length: 1010 }, () => ownEvent('vandal', { action: 'key_renamed', key: 'key_1' })))
    await addAll([ownEvent('vandal', { action: 'key_renamed', key: 'key_2' })])
    const [second, keys, renamings, ...rest] = await other.audit.listAudit({ account: 'vandal' })
    expect(second).toMatchObject({ action: 'key_renamed', key: 'key_2', count: 1, firstAt: null })
    expect([keys, renamings]).toMatchObject([
      { action: 'key_renamed', key: 'key_1', count: 1010, firstAt: new Date(from + 1010) },
      { action: 'account_renamed', key: null, count: 1010, firstAt: new Date(from), at: new Date(from + 1009) },
    ])
    expect(rest.toSorted((a, b) => Number(a.at) - Number(b.at))).toEqual(kept.map(toEntry))
  })

  test('harmless entries of other days are kept, but not without a limit', async () => {
    const days = Array.from({ length: MAX_HARMLESS_ENTRIES + 5 }, (_, n) => new Date(START - n * DAY_MS)).reverse()
    await store.audit.addAudit(ownEvent('slow', { action: 'key_created' }))
    for (const at of days) await store.audit.addAudit(ownEvent('slow', { action: 'account_renamed', at }))
    const listed = await other.audit.listAudit({ account: 'slow', actions: ['account_renamed'] })
    expect(listed.map(({ at }) => at)).toEqual(days.slice(5).reverse())
    expect(await other.audit.listAudit({ account: 'slow', actions: ['key_created'] })).toHaveLength(1)
  })

  test('what an owner repeats on one day is merged, and what others do is not', async () => {
    const rotations = Array.from({ length: MAX_OWN_EVENTS_PER_DAY + 7 }, (_, n) =>
      ownEvent('restless', { action: 'key_rotated', key: `key_${n}` }),
    )
    for (const event of rotations) await store.audit.addAudit(event)
    const byOperator = sampleEvent({ account: 'restless', action: 'key_rotated', key: 'key_x', actor: null })
    await other.audit.addAudit(byOperator)
    const nextDay = ownEvent('restless', { action: 'key_rotated', key: 'key_y', at: new Date(START + DAY_MS) })
    await store.audit.addAudit(nextDay)
    const [last, operator, merged, ...alone] = await other.audit.listAudit({ account: 'restless' })
    expect([last, operator]).toEqual([nextDay, byOperator].map(toEntry))
    const [first] = rotations.slice(MAX_OWN_EVENTS_PER_DAY)
    expect(merged).toMatchObject({ action: 'key_rotated', key: null, count: 7, firstAt: first.at })
    expect(alone).toEqual(rotations.slice(0, MAX_OWN_EVENTS_PER_DAY).reverse().map(toEntry))
  })

  test('operators are recorded in full', async () => {
    const events = Array.from({ length: 1010 }, (_, n) =>
      sampleEvent({ account: null, action: 'key_created', key: `key_${n}`, actor: null, command: 'keys create' }),
    )
    await addAll(events)
    const listed = await other.audit.listAudit({ account: null, actions: ['key_created'], since: events[0].at })
    expect(listed).toHaveLength(1010)
    expect(new Set(listed.map(({ key }) => key)).size).toBe(1010)
  })

  test('entries are deleted by their age', async () => {
    const [old, kept] = [1, 2].map((n) => sampleEvent({ account: 'aged', at: new Date(n * DAY_MS) }))
    for (const event of [old, kept]) await store.audit.addAudit(event)
    await store.audit.deleteAudit(new Date(2 * DAY_MS))
    expect(await other.audit.listAudit({ account: 'aged' })).toEqual([toEntry(kept)])
  })
})
