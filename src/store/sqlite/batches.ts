import type {
  Batch,
  BatchChange,
  BatchCounts,
  BatchPart,
  BatchQuery,
  BatchStatus,
  BatchStore,
  BatchUrl,
  ItemCharge,
  ItemOutcome,
  PartQuery,
} from '../batch-types.ts'
import { type BatchRow, formatDetails, type LineRow, parseBatch, parseLine, prepareStatements } from './batch-rows.ts'
import { readFirstRow, type SqliteConnection } from './connection.ts'
import { addCharges, prepareUsage, type UsageStatements } from './usage.ts'

/** URLs that are deleted in one transaction, so that no request waits long for it. */
const DELETED_ROWS = 2000

/** The tables of batches and their URLs. An outcome and its charge share one transaction. */
export class SqliteBatches implements BatchStore {
  readonly #connection: SqliteConnection
  readonly #sql: ReturnType<typeof prepareStatements>
  readonly #usage: UsageStatements

  constructor(connection: SqliteConnection) {
    this.#connection = connection
    this.#sql = prepareStatements(connection.db)
    this.#usage = prepareUsage(connection.db)
  }

  createBatch(batch: Batch, maxOpen: number): Promise<{ batch: Batch; isNew: boolean; isOpen: boolean } | null> {
    return this.#connection.write(() => {
      const { id, key, counter, account, total, createdAt, idempotencyKey } = batch
      const former =
        idempotencyKey === null
          ? undefined
          : readFirstRow<BatchRow>(this.#sql.findRepeated, counter, JSON.stringify(idempotencyKey))
      if (former !== undefined) return { batch: parseBatch(former), isNew: false, isOpen: former.status !== 'loading' }
      if (this.#countOpen(counter) >= maxOpen) return null
      const name = idempotencyKey === null ? null : JSON.stringify(idempotencyKey)
      this.#sql.insert.run(id, key, counter, account, total, createdAt.getTime(), name, formatDetails(batch))
      return { batch, isNew: true, isOpen: false }
    })
  }

  countOpen(counter: string): Promise<number> {
    return this.#connection.read(() => this.#countOpen(counter))
  }

  addUrls(id: string, urls: readonly BatchUrl[]): Promise<void> {
    return this.#connection.write(() => {
      for (const { position, url, turn } of urls) this.#sql.insertItem.run(id, position, turn, JSON.stringify(url))
    })
  }

  openBatch(id: string): Promise<boolean> {
    return this.#connection.write(() => {
      this.#sql.open.run(id)
      return this.#find(id) !== undefined
    })
  }

  getBatch(id: string): Promise<Batch | null> {
    return this.#connection.read(() => {
      const row = this.#find(id)
      return row === undefined ? null : parseBatch(row)
    })
  }

  listBatches({ counters, limit, before }: BatchQuery): Promise<readonly Batch[]> {
    return this.#connection.read(() => {
      const last = before === undefined ? undefined : this.#find(before)
      const values = last === undefined ? [Number.MAX_SAFE_INTEGER, ''] : [last.createdAt, last.id]
      return (this.#sql.list.all(JSON.stringify(counters), ...values, limit) as BatchRow[]).map(parseBatch)
    })
  }

  listOpenBatches(): Promise<readonly Batch[]> {
    return this.#connection.read(() => (this.#sql.listOpen.all() as BatchRow[]).map(parseBatch))
  }

  listFailedBatches(codes: readonly string[], limit: number): Promise<readonly Batch[]> {
    return this.#connection.read(() =>
      (this.#sql.listFailed.all(JSON.stringify(codes), limit) as BatchRow[]).map(parseBatch),
    )
  }

  listDueWebhooks(now: number): Promise<readonly Batch[]> {
    return this.#connection.read(() => (this.#sql.listDue.all(now) as BatchRow[]).map(parseBatch))
  }

  countItems(id: string): Promise<BatchCounts> {
    return this.#connection.read(() => {
      const rows = this.#sql.count.all(id) as { readonly state: string; readonly code: string; readonly n: number }[]
      const sum = (wanted: string): number =>
        rows.filter(({ state }) => state === wanted).reduce((all, { n }) => all + n, 0)
      const failed = rows.filter(({ state }) => state === 'failed')
      return {
        waiting: sum('waiting'),
        succeeded: sum('done'),
        failures: Object.fromEntries(failed.map(({ code, n }) => [code, n])),
      }
    })
  }

  listWaiting(id: string, { turn, position }: Pick<BatchUrl, 'turn' | 'position'>, limit: number): Promise<BatchUrl[]> {
    return this.#connection.read(() =>
      (this.#sql.listWaiting.all(id, turn, position, limit) as BatchUrl[]).map((row) => ({
        ...row,
        url: JSON.parse(row.url) as string,
      })),
    )
  }

  storeOutcome(
    { batch, position }: { readonly batch: string; readonly position: number },
    outcome: ItemOutcome,
    charge: ItemCharge | null,
  ): Promise<'stored' | 'already' | 'quota'> {
    return this.#connection.writer.enqueue(() => {
      if (readFirstRow(this.#sql.findWaiting, batch, position) === undefined) return 'already'
      if (charge !== null && addCharges(this.#usage, charge, 1) >= charge.quota) return 'quota'
      const [state, code, content] =
        'result' in outcome ? ['done', null, outcome.result] : ['failed', outcome.code, outcome.error]
      this.#sql.finish.run({ state, code, content: JSON.stringify(content), batch, position })
      return 'stored'
    })
  }

  countTry(batch: string, position: number): Promise<number> {
    return this.#connection.write(
      () => readFirstRow<{ readonly tries: number }>(this.#sql.countTry, batch, position)?.tries ?? 0,
    )
  }

  readPart(id: string, { after, limit }: PartQuery): Promise<BatchPart> {
    return this.#connection.read(() => {
      const rows = this.#sql.readPart.all(id, Number(after ?? 0), limit + 1) as LineRow[]
      const part = rows.slice(0, limit)
      return {
        lines: part.map(parseLine),
        cursor: String(part.at(-1)?.seq ?? after ?? 0),
        hasMore: rows.length > limit,
      }
    })
  }

  changeBatch(id: string, from: readonly BatchStatus[], change: BatchChange): Promise<boolean> {
    return this.#connection.write(() => {
      const row = this.#find(id)
      if (row === undefined || !from.includes(row.status as BatchStatus)) return false
      this.#update({ ...parseBatch(row), ...change })
      return true
    })
  }

  retryFailures(id: string, codes?: readonly string[]): Promise<number> {
    return this.#connection.write(() => {
      const row = this.#find(id)
      if (row === undefined) return 0
      const only = codes === undefined ? null : JSON.stringify(codes)
      this.#sql.raiseSeq.run(id, id)
      const count = this.#sql.retry.run(id, only, only).changes
      if (count > 0) this.#update({ ...parseBatch(row), status: 'waiting', reason: null, finishedAt: null })
      return count
    })
  }

  /** An outcome and its charge are one transaction: there is nothing to settle. */
  async listUnsettledBatches(): Promise<readonly Batch[]> {
    return []
  }

  async settleBatch(): Promise<void> {}

  deleteBatches({ before, unopened }: { readonly before: number; readonly unopened: number }): Promise<boolean> {
    return this.#connection.write(() => {
      const row = readFirstRow<{ readonly id: string }>(this.#sql.findOld, before, unopened)
      if (row === undefined) return false
      const { changes } = this.#sql.deleteItems.run(row.id, DELETED_ROWS)
      if (changes < DELETED_ROWS) this.#sql.delete.run(row.id)
      return true
    })
  }

  #find(id: string): BatchRow | undefined {
    return readFirstRow<BatchRow>(this.#sql.get, id)
  }

  #countOpen(counter: string): number {
    return readFirstRow<{ readonly n: number }>(this.#sql.countOpen, counter)?.n ?? 0
  }

  #update(batch: Batch): void {
    const { id, status, startedAt, finishedAt, webhook } = batch
    const dueAt = webhook?.nextAt ?? null
    const [started, finished] = [startedAt, finishedAt].map((at) => at?.getTime() ?? null)
    this.#sql.update.run(status, started, finished, dueAt, formatDetails(batch), id)
  }
}
