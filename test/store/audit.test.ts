import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { AuditEntry } from '../../src/accounts/audit.ts'
import { MAX_AUDIT_ENTRIES, type Store } from '../../src/store/types.ts'
import { storeKinds } from './open-stores.ts'

const START = Date.UTC(2026, 4, 1)
let count = 0

/** A unique entry, a millisecond later than the previous one. */
function sampleEntry(change: Partial<AuditEntry> = {}): AuditEntry {
  const at = new Date(START + count++)
  const source = { command: null, machine: 'node-1' }
  return { at, action: 'plan_changed', actor: 'admin', account: 'anna', key: null, detail: 'pro', ...source, ...change }
}

describe.each(storeKinds('audit'))('audit entries in $name', ({ isMissing, openBoth }) => {
  let store: Store
  let other: Store
  beforeAll(async () => {
    if (!isMissing) [store, other] = await openBoth()
  })
  afterAll(async () => {
    await store?.close()
    await other?.close()
  })

  test.skipIf(isMissing).each([
    ['an ordinary entry', {}],
    ['by the operator', { actor: null, key: 'key_1', detail: null, command: 'keys revoke' }],
    ['of an earlier version', { machine: null }],
    ['quotes', { detail: `O'Hara "the"; DROP TABLE audit; --` }],
    ['operators', { detail: '$where', key: '$key' }],
    ['NUL', { detail: 'one\0two\0' }],
    ['emoji', { detail: '🏄‍♀️ 漢字' }],
  ])('an entry is stored unchanged: %s', async (account, change) => {
    const entry = sampleEntry({ account, ...change })
    await store.audit.addAudit(entry)
    expect(await other.audit.listAudit({ account, limit: 10 })).toEqual([entry])
    expect((await other.audit.listAudit({ account: null, limit: 1 }))[0]).toEqual(entry)
  })

  test.skipIf(isMissing)('lists contain the newest entries of one account, or of all', async () => {
    const entries = ['x', 'y', 'x', null, 'x'].map((account) => sampleEntry({ account }))
    for (const entry of entries) await store.audit.addAudit(entry)
    const [first, second, third, service, last] = entries
    expect(await other.audit.listAudit({ account: 'x', limit: 10 })).toEqual([last, third, first])
    expect(await other.audit.listAudit({ account: 'x', limit: 2 })).toEqual([last, third])
    expect(await other.audit.listAudit({ account: null, limit: 4 })).toEqual([last, service, third, second])
    expect(await other.audit.listAudit({ account: 'unknown', limit: 10 })).toEqual([])
  })

  test.skipIf(isMissing)('lists may begin at a time', async () => {
    const entries = ['p', 'p', 'q', 'p'].map((account) => sampleEntry({ account }))
    for (const entry of entries) await store.audit.addAudit(entry)
    const [, second, third, last] = entries
    expect(await other.audit.listAudit({ account: 'p', since: second.at, limit: 10 })).toEqual([last, second])
    expect(await other.audit.listAudit({ account: null, since: third.at, limit: 10 })).toEqual([last, third])
    expect(await other.audit.listAudit({ account: null, since: second.at, limit: 1 })).toEqual([last])
    expect(await other.audit.listAudit({ account: 'p', since: new Date(last.at.getTime() + 1), limit: 9 })).toEqual([])
  })

  test.skipIf(isMissing).each([['busy'], [null]])('of %s only the newest entries stay', async (account) => {
    const neighbour = sampleEntry({ account: `neighbour of ${account}` })
    await store.audit.addAudit(neighbour)
    const at = new Date(START + count++) // All entries of one millisecond, in the order in which they are written.
    const entries = Array.from({ length: MAX_AUDIT_ENTRIES + 5 }, (_, n) =>
      sampleEntry({ account, at, detail: `${n}` }),
    )
    // Most at once, which saves a write to the disk for each; then one after the other, past the limit.
    const atOnce = entries.splice(0, MAX_AUDIT_ENTRIES - 10)
    await Promise.all(atOnce.map((entry) => store.audit.addAudit(entry)))
    for (const entry of entries) await store.audit.addAudit(entry)
    const stored = await other.audit.listAudit({ account, limit: 2 * MAX_AUDIT_ENTRIES })
    const ofAccount = stored.filter((entry) => entry.account === account)
    expect(ofAccount).toEqual([...atOnce, ...entries].slice(5).reverse())
    expect(await other.audit.listAudit({ account: neighbour.account, limit: 9 })).toEqual([neighbour])
  })
})
