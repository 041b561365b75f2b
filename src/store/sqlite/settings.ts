import type Database from 'libsql'
import type { SettingStore, Switches } from '../types.ts'
import { readFirstRow, type SqliteConnection } from './connection.ts'

/** The tables of the switches and of permanent values. */
export class SqliteSettings implements SettingStore {
  readonly #connection: SqliteConnection
  readonly #sql: ReturnType<typeof prepare>

  constructor(connection: SqliteConnection) {
    this.#connection = connection
    this.#sql = prepare(connection.db)
  }

  switches(): Promise<Switches> {
    return this.#connection.read(() => {
      const row = readFirstRow<{ readonly maintenance: number; readonly api_off: number }>(this.#sql.switches)
      return { maintenance: row?.maintenance === 1, apiOff: row?.api_off === 1 }
    })
  }

  setSwitches({ maintenance, apiOff }: Partial<Switches>): Promise<void> {
    return this.#connection.write(() => {
      this.#sql.setSwitches.run(toBit(maintenance), toBit(apiOff))
    })
  }

  putIfAbsent(name: string, value: string): Promise<string> {
    return this.#connection.write(() => {
      this.#sql.insertValue.run(name, value)
      return this.#readValue(name) ?? value
    })
  }

  findValue(name: string): Promise<string | null> {
    return this.#connection.read(() => this.#readValue(name))
  }

  #readValue(name: string): string | null {
    const row = readFirstRow<{ readonly json: string }>(this.#sql.readValue, name)
    return row === undefined ? null : (JSON.parse(row.json) as string)
  }
}

function prepare(db: Database.Database) {
  return {
    switches: db.prepare('SELECT maintenance, api_off FROM switches'),
    setSwitches: db.prepare(
      'UPDATE switches SET maintenance = coalesce(?, maintenance), api_off = coalesce(?, api_off)',
    ),
    insertValue: db.prepare('INSERT INTO words (name, value) VALUES (?, ?) ON CONFLICT DO NOTHING'),
    // Read as JSON, because the binding ends a text column at its first NUL.
    readValue: db.prepare('SELECT json_quote(value) AS json FROM words WHERE name = ?'),
  }
}

function toBit(isOn: boolean | undefined): number | null {
  return isOn === undefined ? null : Number(isOn)
}
