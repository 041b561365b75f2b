import { existsSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { SetupError } from './errors.ts'
import { type AllowedAddress, parseAllowed } from './fetch/address.ts'

/** What the environment sets. */
export interface Config {
  /** `RULES_DIRS`: rule folders beside our own, absolute. */
  readonly ruleFolders: readonly string[]
  /** `DETECTORS`: modules with further detectors: paths or package names. */
  readonly detectorModules: readonly string[]
  /** `SCAN_ALLOW`: literal addresses that are scanned though they are not public. For development. */
  readonly scanAllow: readonly AllowedAddress[]
  /** `SCAN_PORTS`: ports that are scanned. */
  readonly scanPorts: readonly number[]
  /** `SCAN_DENY`: hosts that are never scanned, with all below them. */
  readonly scanDeny: readonly string[]
  /** `CONTACT_URL`: where a site's owner reads who scans; null for the name alone. */
  readonly contactUrl: string | null
}

/**
 * Reads the settings; the only place that looks at the environment.
 * @throws SetupError that names all bad settings at once
 */
export function loadConfig(env: Readonly<Record<string, string | undefined>> = process.env): Config {
  const faults: string[] = []
  const ruleFolders = listOf(env.RULES_DIRS).map((folder) => resolve(folder))
  for (const folder of ruleFolders)
    if (!existsSync(folder) || !statSync(folder).isDirectory()) faults.push(`RULES_DIRS: no such folder: ${folder}`)
  const config = {
    ruleFolders,
    detectorModules: listOf(env.DETECTORS),
    scanAllow: readAll(listOf(env.SCAN_ALLOW), parseAllowed, (at) =>
      faults.push(`SCAN_ALLOW: entry ${at} is no address[/bits][:port], IPv6 in brackets`),
    ),
    scanPorts: readAll(listOf(env.SCAN_PORTS ?? '80,443'), readPort, (at) =>
      faults.push(`SCAN_PORTS: entry ${at} is no port from 1 to 65535`),
    ),
    scanDeny: listOf(env.SCAN_DENY).map((host) => host.toLowerCase().replace(/^\*?\./, '')),
    contactUrl: env.CONTACT_URL?.trim() || null,
  }
  if (config.contactUrl !== null && !/^(?:https?:\/\/|mailto:)[\x21-\x7e]+$/.test(config.contactUrl))
    faults.push('CONTACT_URL: write an http, https or mailto address')
  if (faults.length > 0) throw new SetupError(faults.join('\n'))
  return Object.freeze(config)
}

/** Reads every entry of a list; what is none is told by its number, from 1: values are never printed. */
function readAll<T>(entries: readonly string[], read: (entry: string) => T | null, tell: (at: number) => void): T[] {
  return entries.flatMap((entry, i) => {
    const value = read(entry)
    if (value === null) tell(i + 1)
    return value ?? []
  })
}

function readPort(text: string): number | null {
  const port = Number(text)
  return /^\d{1,5}$/.test(text) && port >= 1 && port <= 65_535 ? port : null
}

function listOf(value: string | undefined): string[] {
  return (value ?? '')
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '')
}
