import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { AsnResponse } from 'maxmind'
import { SetupError } from '../errors.ts'
import { type Network, type Networks, NetworkTable } from './network-table.ts'
import { parseAsn } from './parse-asn.ts'

const FILE = join(import.meta.dirname, 'networks.bin')

let own: NetworkTable | undefined

/** Opens the table that comes with Siteprint, once. @throws SetupError if the file is missing or damaged */
export function openOwnNetworks(): NetworkTable {
  own ??= readTable(FILE)
  return own
}

function readTable(file: string): NetworkTable {
  try {
    const bytes = readFileSync(file)
    const alone = bytes.length === bytes.buffer.byteLength
    return new NetworkTable(alone ? bytes.buffer : new Uint8Array(bytes).buffer)
  } catch (error) {
    throw new SetupError(`${file}: ${(error as Error).message}; install Siteprint again`)
  }
}

/**
 * Opens the table that comes with Siteprint, or a database that replaces it.
 * @param file null for the table
 * @throws SetupError if the file is missing or damaged, or no such database
 */
export async function openNetworks(file: string | null): Promise<Networks> {
  return file === null ? openOwnNetworks() : openDatabase(file)
}

/** An entry of a database: those of MaxMind and DB-IP, and those of IPinfo have different fields. */
type DatabaseEntry = Readonly<Record<string, unknown>>

/**
 * Opens a database of networks in MMDB format, such as those of DB-IP, GeoLite2 ASN and IPinfo. It is read again when the file is
 * replaced; a damaged new file leaves the former data in use.
 * @throws SetupError if the file cannot be read, or is not such a database
 */
async function openDatabase(file: string): Promise<Networks> {
  const { open } = await import('maxmind')
  const reader = await open<AsnResponse>(file, { watchForUpdates: true, watchForUpdatesNonPersistent: true }).catch(
    (error) => {
      throw new SetupError(`NETWORKS_FILE: ${file} is not a database in MMDB format: ${(error as Error).message}`)
    },
  )
  return {
    find(address) {
      const entry = readEntry(() => reader.get(address) as DatabaseEntry | null)
      const asn = parseAsn(entry?.autonomous_system_number ?? entry?.asn)
      const name = entry?.autonomous_system_organization ?? entry?.as_name ?? entry?.name
      return asn === null ? null : ({ asn, name: typeof name === 'string' ? name : `AS${asn}` } satisfies Network)
    },
  }
}

/** A text that is not an address, and a damaged entry, have no network. */
function readEntry(read: () => DatabaseEntry | null): DatabaseEntry | null {
  try {
    return read()
  } catch {
    return null
  }
}
