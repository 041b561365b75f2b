import type Database from 'libsql'
import type { Switches } from '../types.ts'
import { firstRow } from './row.ts'

/** The tables of switches and of words that are kept for good. */
export class SqliteSettings {
  readonly #sql: ReturnType<typeof prepare>

  constructor(db: Database.Database) {
    this.#sql = prepare(db)
  }

  switches(): Switches {
    const row = firstRow<{ readonly maintenance: number; readonly api_off: number }>(this.#sql.switches)
    return { maintenance: row?.maintenance === 1, apiOff: row?.api_off === 1 }
  }

  setSwitches({ maintenance, apiOff }: Partial<Switches>): void {
    this.#sql.setSwitches.run(bitOf(maintenance), bitOf(apiOff))
  }

  /** Writes a page without changing what it holds. */
  probe(): void {
    this.#sql.setSwitches.run(null, null)
  }

  /** Needs a transaction around it. */
  keepOnce(name: string, value: string): string {
    this.#sql.keep.run(name, value)
    const row = firstRow<{ readonly json: string }>(this.#sql.kept, name)
    return row === undefined ? value : (JSON.parse(row.json) as string)
  }
}

function prepare(db: Database.Database) {
  return {
    switches: db.prepare('SELECT maintenance, api_off FROM switches'),
    setSwitches: db.prepare(
      'UPDATE switches SET maintenance = coalesce(?, maintenance), api_off = coalesce(?, api_off)',
    ),
    keep: db.prepare('INSERT INTO words (name, value) VALUES (?, ?) ON CONFLICT DO NOTHING'),
    // In JSON, as a column that is read ends at its first NUL.
    kept: db.prepare('SELECT json_quote(value) AS json FROM words WHERE name = ?'),
  }
}

function bitOf(isOn: boolean | undefined): number | null {
  return isOn === undefined ? null : Number(isOn)
}
