import type Database from 'libsql'
import { SetupError } from '../../errors.ts'
import { hashSessionToken } from '../session-token.ts'
import { readFirstRow } from './connection.ts'
import { markErasing } from './erase.ts'
import { fillSlots } from './fill-slots.ts'
import type { SqliteWriter } from './writer.ts'

/**
 * The tables of better-auth (1.7). A test compares them with the schema that better-auth expects. Dates are texts (ISO 8601, UTC).
 */
const AUTH_TABLES = `CREATE TABLE accounts (
    id TEXT NOT NULL PRIMARY KEY,
    name TEXT NOT NULL,
    email TEXT NOT NULL UNIQUE,
    emailVerified INTEGER NOT NULL,
    image TEXT,
    createdAt DATE NOT NULL,
    updatedAt DATE NOT NULL,
    plan TEXT NOT NULL,
    suspendedAt DATE
  );
  CREATE INDEX accounts_by_creation ON accounts (createdAt, id);
  CREATE TABLE sessions (
    id TEXT NOT NULL PRIMARY KEY,
    expiresAt DATE NOT NULL,
    token TEXT NOT NULL UNIQUE,
    createdAt DATE NOT NULL,
    updatedAt DATE NOT NULL,
    ipAddress TEXT,
    userAgent TEXT,
    userId TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE
  );
  CREATE INDEX sessions_userId_idx ON sessions (userId);
  CREATE TABLE credentials (
    id TEXT NOT NULL PRIMARY KEY,
    accountId TEXT NOT NULL,
    providerId TEXT NOT NULL,
    userId TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    accessToken TEXT,
    refreshToken TEXT,
    idToken TEXT,
    accessTokenExpiresAt DATE,
    refreshTokenExpiresAt DATE,
    scope TEXT,
    password TEXT,
    createdAt DATE NOT NULL,
    updatedAt DATE NOT NULL
  );
  CREATE INDEX credentials_userId_idx ON credentials (userId);
  CREATE TABLE verifications (
    id TEXT NOT NULL PRIMARY KEY,
    identifier TEXT NOT NULL,
    value TEXT NOT NULL,
    expiresAt DATE NOT NULL,
    createdAt DATE NOT NULL,
    updatedAt DATE NOT NULL
  );
  CREATE INDEX verifications_identifier_idx ON verifications (identifier);`

/** SQL, or a function where SQL does not suffice. Both run inside the transaction of the upgrade. */
type Migration = string | ((db: Database.Database) => void)

/** Upgrades a database from each version (the index in this list) to the next. Times are milliseconds since 1970. */
export const MIGRATIONS: readonly Migration[] = [
  `CREATE TABLE keys (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    email TEXT NOT NULL,
    plan TEXT NOT NULL,
    revision INTEGER CHECK (revision IN (1, 2)),
    created_at INTEGER NOT NULL,
    revoked_at INTEGER
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE secrets (
    place INTEGER PRIMARY KEY AUTOINCREMENT, -- The newest secret has the highest.
    key TEXT NOT NULL REFERENCES keys (id),
    hash TEXT NOT NULL UNIQUE,
    last_four TEXT NOT NULL,
    expires_at INTEGER
  ) STRICT;
  CREATE INDEX secrets_of_key ON secrets (key);
  CREATE TABLE usage (
    key TEXT NOT NULL,
    month TEXT NOT NULL CHECK (
      month GLOB '[0-9][0-9][0-9][0-9]-0[1-9]' OR month GLOB '[0-9][0-9][0-9][0-9]-1[0-2]'
    ),
    used INTEGER NOT NULL CHECK (used >= 0),
    last_used_at INTEGER NOT NULL,
    PRIMARY KEY (key, month)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE switches (
    only INTEGER PRIMARY KEY CHECK (only = 1),
    maintenance INTEGER NOT NULL DEFAULT 0 CHECK (maintenance IN (0, 1)),
    api_off INTEGER NOT NULL DEFAULT 0 CHECK (api_off IN (0, 1))
  ) STRICT;
  INSERT INTO switches (only) VALUES (1);
  CREATE TABLE words (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;`,
  `ALTER TABLE keys ADD COLUMN account TEXT;
  ALTER TABLE keys ADD COLUMN slot INTEGER; -- Null for a key without an account, and for a revoked one.
  ALTER TABLE keys ADD COLUMN suspended_at INTEGER;
  CREATE UNIQUE INDEX slots_of_account ON keys (account, slot);
  CREATE TABLE usage_days (
    key TEXT NOT NULL,
    day TEXT NOT NULL,
    used INTEGER NOT NULL CHECK (used > 0),
    PRIMARY KEY (key, day)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE invites (hash TEXT PRIMARY KEY, expires_at INTEGER NOT NULL) STRICT, WITHOUT ROWID;
  CREATE TABLE scans (
    id TEXT NOT NULL UNIQUE,
    account TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    url TEXT NOT NULL,
    builder TEXT,
    at INTEGER NOT NULL,
    entry TEXT NOT NULL -- JSON
  ) STRICT;
  CREATE INDEX scans_of_account ON scans (account, at);
  ${AUTH_TABLES}`,
  `CREATE TABLE audit (
    place INTEGER PRIMARY KEY AUTOINCREMENT, -- The newest entry has the highest.
    at INTEGER NOT NULL,
    action TEXT NOT NULL,
    actor TEXT,
    account TEXT,
    key TEXT,
    detail TEXT
  ) STRICT;
  CREATE INDEX audit_of_account ON audit (account, place);`,
  `ALTER TABLE keys ADD COLUMN expires_at INTEGER;
  ALTER TABLE keys ADD COLUMN per_minute INTEGER; -- Null for the limit of the plan.
  ALTER TABLE keys ADD COLUMN per_month INTEGER;
  ALTER TABLE secrets ADD COLUMN pepper TEXT; -- Null for the first pepper of the store.
  ALTER TABLE audit ADD COLUMN command TEXT;
  ALTER TABLE audit ADD COLUMN machine TEXT;
  CREATE INDEX usage_of_month ON usage (month);`,
  `ALTER TABLE audit ADD COLUMN first_at INTEGER; -- Null for an entry of one event.
  ALTER TABLE audit ADD COLUMN count INTEGER NOT NULL DEFAULT 1;
  CREATE INDEX audit_of_kind ON audit (account, action, at);
  CREATE INDEX audit_by_time ON audit (at);`,
  hashSessionTokens,
  `CREATE TABLE slots (
    account TEXT NOT NULL,
    slot INTEGER NOT NULL,
    counter TEXT NOT NULL UNIQUE, -- The value of usage.key and usage_days.key.
    PRIMARY KEY (account, slot)
  ) STRICT, WITHOUT ROWID;
  ALTER TABLE keys ADD COLUMN counter TEXT; -- That of its slot. Null for the key's own id.`,
  `CREATE TABLE batches (
    id TEXT PRIMARY KEY,
    key TEXT NOT NULL,
    counter TEXT NOT NULL,
    account TEXT REFERENCES accounts (id) ON DELETE CASCADE,
    status TEXT NOT NULL, -- "loading" until all of its URLs are written.
    total INTEGER NOT NULL,
    first_seq INTEGER NOT NULL DEFAULT 0, -- Lines that are stored later get higher numbers.
    created_at INTEGER NOT NULL,
    started_at INTEGER,
    finished_at INTEGER,
    webhook_at INTEGER,
    idempotency_key TEXT,
    details TEXT NOT NULL -- JSON.
  ) STRICT, WITHOUT ROWID;
  CREATE UNIQUE INDEX batches_by_idempotency ON batches (counter, idempotency_key);
  CREATE INDEX batches_of_counter ON batches (counter, created_at, id);
  CREATE INDEX batches_by_status ON batches (status, created_at);
  CREATE INDEX batches_by_end ON batches (finished_at);
  CREATE INDEX batches_by_webhook ON batches (webhook_at) WHERE webhook_at IS NOT NULL;
  CREATE INDEX batches_of_account ON batches (account) WHERE account IS NOT NULL;
  CREATE TABLE batch_items (
    batch TEXT NOT NULL REFERENCES batches (id) ON DELETE CASCADE,
    position INTEGER NOT NULL,
    turn INTEGER NOT NULL,
    url TEXT NOT NULL, -- JSON.
    state TEXT NOT NULL CHECK (state IN ('waiting', 'done', 'failed')),
    tries INTEGER NOT NULL DEFAULT 0,
    seq INTEGER, -- The order of completion.
    code TEXT,
    content TEXT, -- The result or the message of the error, as a JSON text.
    PRIMARY KEY (batch, position)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX waiting_items ON batch_items (batch, turn, position) WHERE state = 'waiting';
  CREATE UNIQUE INDEX items_by_end ON batch_items (batch, seq) WHERE seq IS NOT NULL;
  CREATE INDEX items_by_state ON batch_items (batch, state, code);`,
]

/** Sessions of earlier versions contain their token itself. They stay valid. */
function hashSessionTokens(db: Database.Database): void {
  const rows = db.prepare('SELECT id, token FROM sessions').all() as { readonly id: string; readonly token: string }[]
  const update = db.prepare('UPDATE sessions SET token = ? WHERE id = ?')
  for (const { id, token } of rows) update.run(hashSessionToken(token), id)
}

/**
 * Upgrades the tables to the current version. Several processes may do so concurrently.
 * @throws SetupError if the database is of a later version
 */
export function migrate(db: Database.Database, writer: SqliteWriter): void {
  const version = readVersion(db)
  if (version === MIGRATIONS.length) return
  if (version > MIGRATIONS.length)
    throw new SetupError(
      'the database was written by a later version of Siteprint: install that version, or set DATA_DIR to another folder',
    )
  writer.runNow(() => {
    // Read again inside the transaction: another process may have upgraded the tables.
    const pending = MIGRATIONS.slice(readVersion(db))
    if (pending.length === MIGRATIONS.length) markErasing(db) // A new database.
    for (const migration of pending) {
      if (typeof migration === 'string') db.exec(migration)
      else migration(db)
    }
    fillSlots(db)
    db.exec(`PRAGMA user_version = ${MIGRATIONS.length}`)
  })
}

/** @returns the version of a database that `migrate` would upgrade; null for a new database and for one that it would not change */
export function findFormerVersion(db: Database.Database): number | null {
  const version = readVersion(db)
  return version > 0 && version < MIGRATIONS.length ? version : null
}

export function readVersion(db: Database.Database): number {
  return readFirstRow<{ readonly user_version: number }>(db.prepare('PRAGMA user_version'))?.user_version ?? 0
}
