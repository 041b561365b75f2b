import type { Row, TableName } from './transfer.ts'

type Check = (value: unknown) => boolean
type FieldChecks = Readonly<Record<string, Check>>

const isText: Check = (value) => typeof value === 'string'
const isFlag: Check = (value) => typeof value === 'boolean'
const isCount: Check = (value) => Number.isSafeInteger(value) && (value as number) >= 0
const isRevision: Check = (value) => value === 1 || value === 2 || value === null
const isTime: Check = (value) =>
  typeof value === 'string' &&
  /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(value) &&
  !Number.isNaN(Date.parse(value))
const isItemState: Check = (value) => value === 'waiting' || value === 'done' || value === 'failed'
const isMonth: Check = (value) => typeof value === 'string' && /^\d{4}-(?:0[1-9]|1[0-2])$/.test(value)
const isDay: Check = (value) => typeof value === 'string' && /^(?:0[1-9]|[12]\d|3[01])$/.test(value)
const orAbsent =
  (check: Check): Check =>
  (value) =>
    value === undefined || check(value)
const orNull =
  (check: Check): Check =>
  (value) =>
    value === null || check(value)

/** For a field that exports of earlier versions lack. */
const orMissing =
  (check: Check): Check =>
  (value) =>
    value === undefined || check(value)

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const isJsonObject: Check = (value) => {
  try {
    return isObject(JSON.parse(value as string))
  } catch {
    return false
  }
}

/** Requests by day of the month. */
const areDays: Check = (value) =>
  isObject(value) && Object.entries(value).every(([day, used]) => isDay(day) && isCount(used) && used !== 0)

const SECRET: FieldChecks = { hash: isText, lastFour: isText, expiresAt: orNull(isTime), pepper: orNull(isText) }
const areSecrets: Check = (value) => Array.isArray(value) && value.every((one) => findInvalid(SECRET, one) === null)

/** The fields of the rows of each table. */
const FIELDS: Readonly<Record<TableName, FieldChecks>> = {
  values: { name: isText, value: isText },
  accounts: {
    ...{ id: isText, name: isText, email: isText, emailVerified: isFlag, image: orNull(isText) },
    ...{ createdAt: isTime, updatedAt: isTime, plan: isText, suspendedAt: orNull(isTime) },
  },
  credentials: {
    ...{ id: isText, accountId: isText, providerId: isText, userId: isText, password: orNull(isText) },
    ...{ createdAt: isTime, updatedAt: isTime },
  },
  invites: { hash: isText, expiresAt: isTime },
  scans: { id: isText, account: isText, url: isText, builder: orNull(isText), at: isTime, entry: isJsonObject },
  audit: {
    ...{ at: isTime, action: isText, actor: orNull(isText), account: orNull(isText), key: orNull(isText) },
    ...{ detail: orNull(isText), command: orNull(isText), machine: orNull(isText) },
    // Exports of earlier versions lack both.
    ...{ firstAt: orAbsent(orNull(isTime)), count: orAbsent(isCount) },
  },
  batches: {
    ...{ id: isText, key: isText, counter: isText, account: orNull(isText), status: isText, total: isCount },
    ...{ createdAt: isTime, startedAt: orNull(isTime), finishedAt: orNull(isTime), idempotencyKey: orNull(isText) },
    details: isJsonObject,
  },
  batchItems: {
    ...{ batch: isText, position: isCount, turn: isCount, url: isText, state: isItemState, tries: isCount },
    ...{ code: orNull(isText), content: orNull(isText) },
  },
  slots: { account: isText, slot: isCount, counter: isText },
  usage: { key: isText, month: isMonth, used: isCount, lastUsedAt: isTime, days: areDays },
  keys: {
    ...{ id: isText, name: isText, email: isText, plan: isText, revision: isRevision, account: orNull(isText) },
    ...{ slot: orNull(isCount), createdAt: isTime, revokedAt: orNull(isTime), suspendedAt: orNull(isTime) },
    ...{ expiresAt: orNull(isTime), perMinute: orNull(isCount), perMonth: orNull(isCount), secrets: areSecrets },
    counter: orMissing(orNull(isText)),
  },
}

function findInvalid(fields: FieldChecks, row: unknown): string | null {
  const values = isObject(row) ? row : {}
  return (
    Object.keys(fields).find((name) => !fields[name](Object.hasOwn(values, name) ? values[name] : undefined)) ?? null
  )
}

/**
 * Finds the first field of an exported row that is missing or has a value of the wrong type, before the row is written: the
 * stores differ in what they accept.
 */
export function findInvalidField(table: TableName, row: Row): string | null {
  return findInvalid(FIELDS[table], row)
}
