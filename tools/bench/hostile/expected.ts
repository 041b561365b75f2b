import type { ScanCause } from '../../../src/errors.ts'
import type { Plays } from './raw-server.ts'

/** The reason of a failure, all warnings of the result, or a result without warnings. */
export type Expected = { readonly reason: ScanCause } | { readonly warnings: readonly RegExp[] } | 'fine'
/** A hostile server as a row of a table. */
export type HostileRow = readonly [name: string, plays: Plays, expected: Expected]
