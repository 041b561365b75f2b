import { expect, test } from 'vitest'
import { findInvalidField } from '../../src/store/find-invalid-field.ts'
import type { Row, TableName } from '../../src/store/transfer.ts'
import { listDamaged } from '../support/arbitrary-json.ts'

const TIME = '2026-05-01T00:00:00.001Z'
const ACCOUNT = {
  ...{ id: 'a', name: 'Ann', email: 'ann@a.example', emailVerified: true, image: null },
  ...{ createdAt: TIME, updatedAt: TIME, plan: 'free', suspendedAt: null },
}
const KEY = {
  ...{ id: 'key_1', name: 'Site', email: 'a@a.example', plan: 'pro', revision: null, account: 'a', slot: 0 },
  ...{ createdAt: TIME, revokedAt: null, suspendedAt: null, expiresAt: TIME, perMinute: null, perMonth: 9 },
  secrets: [{ hash: 'h', lastFour: 'aaaa', expiresAt: null, pepper: 'p' }],
}
const USAGE = { key: 'key_1', month: '2026-05', used: 3, lastUsedAt: TIME, days: { '01': 1, '31': 2 } }
const SCAN = { id: 's', account: 'a', url: 'https://a.example', builder: null, at: TIME, entry: '{"at":1}' }
const AUDIT = {
  ...{ at: TIME, action: 'key_revoked', actor: null, account: 'a', key: null, detail: null, command: 'c' },
  machine: 'm',
}
const ROWS: readonly (readonly [TableName, Row])[] = [
  ['values', { name: 'pepper', value: 'x' }],
  ['accounts', ACCOUNT],
  [
    'credentials',
    {
      ...{ id: 'c', accountId: 'a', providerId: 'credential', userId: 'a', password: 'scrypt$x' },
      ...{ createdAt: TIME, updatedAt: TIME },
    },
  ],
  ['invites', { hash: 'h', expiresAt: TIME }],
  ['scans', SCAN],
  ['audit', AUDIT],
  ['usage', USAGE],
  ['slots', { account: 'a', slot: 0, counter: 'key_1' }],
  ['keys', KEY],
]

test.each(ROWS)('a row of %s is valid, and not without one of its fields', (table, row) => {
  expect(findInvalidField(table, row)).toBeNull()
  for (const name of Object.keys(row)) {
    const { [name]: _, ...rest } = row
    expect(findInvalidField(table, rest)).toBe(name)
  }
})

test.each(ROWS)('no value of a row of %s may be an object that cannot be converted to a text', (table, row) => {
  const damaged = listDamaged(row).filter((text) => text.includes('{"toString":0}'))
  expect(damaged.length).toBeGreaterThan(Object.keys(row).length)
  expect(damaged.filter((text) => findInvalidField(table, JSON.parse(text)) === null)).toEqual([])
})

test.each<[name: string, TableName, Row, field: string | null]>([
  ['a list', 'values', [] as unknown as Row, 'name'],
  ['a name that cannot be converted to a text', 'values', { name: { toString: 0 }, value: 'x' }, 'name'],
  ['a time in words', 'invites', { hash: 'h', expiresAt: 'tomorrow' }, 'expiresAt'],
  ['a day that does not exist', 'invites', { hash: 'h', expiresAt: '2026-13-01T00:00:00.000Z' }, 'expiresAt'],
  ['milliseconds for a time', 'invites', { hash: 'h', expiresAt: 1_777_593_600_000 }, 'expiresAt'],
  ['a number for a flag', 'accounts', { ...ACCOUNT, emailVerified: 1 }, 'emailVerified'],
  ['a time of suspension', 'accounts', { ...ACCOUNT, suspendedAt: TIME }, null],
  ['an entry that is not JSON', 'scans', { ...SCAN, entry: '{' }, 'entry'],
  ['an entry that is not an object', 'scans', { ...SCAN, entry: 'null' }, 'entry'],
  ['an object for an entry', 'scans', { ...SCAN, entry: { at: 1 } }, 'entry'],
  ['a month that does not exist', 'usage', { ...USAGE, month: '2026-13' }, 'month'],
  ['a negative count', 'usage', { ...USAGE, used: -1 }, 'used'],
  ['a fraction', 'usage', { ...USAGE, used: 1.5 }, 'used'],
  ['a text for days', 'usage', { ...USAGE, days: 'abc' }, 'days'],
  ['a day without requests', 'usage', { ...USAGE, days: { '01': 0 } }, 'days'],
  ['a day that no month has', 'usage', { ...USAGE, days: { '32': 1 } }, 'days'],
  ['no days', 'usage', { ...USAGE, days: {} }, null],
  ['an unknown revision', 'keys', { ...KEY, revision: 3 }, 'revision'],
  ['revision 2', 'keys', { ...KEY, revision: 2 }, null],
  ['a counter', 'keys', { ...KEY, counter: 'key_1' }, null],
  ['a number for a counter', 'keys', { ...KEY, counter: 1 }, 'counter'],
  ['an object for secrets', 'keys', { ...KEY, secrets: { length: 1 } }, 'secrets'],
  [
    'a secret without a hash',
    'keys',
    { ...KEY, secrets: [{ lastFour: 'a', expiresAt: null, pepper: null }] },
    'secrets',
  ],
  ['a secret of the first pepper', 'keys', { ...KEY, secrets: [{ ...KEY.secrets[0], pepper: null }] }, null],
])('a row with %s', (_, table, row, field) => {
  expect(findInvalidField(table, row)).toBe(field)
})
