import { statSync } from 'node:fs'
import { isIP } from 'node:net'
import { resolve } from 'node:path'
import { SetupError } from '../errors.ts'
import { type AllowedAddress, normalizeHost, parseAddress, parseAllowed } from '../fetch/address.ts'
import { loadPlans, type Plan } from '../keys/plans.ts'
import { ConfigReader, wholeNumber } from './reader.ts'

/** Those of pino, the loudest last. */
const LOG_LEVELS = ['silent', 'fatal', 'error', 'warn', 'info', 'debug', 'trace'] as const

/** What the environment sets. */
export interface Config {
  /** `HOST`: the name or address that the service listens on. */
  readonly host: string
  /** `PORT`: 0 for any free one. */
  readonly port: number
  /** `PUBLIC_URL`: where people reach the service; `http://HOST:PORT` by default. No slash at its end. */
  readonly publicUrl: string
  /** `METRICS_HOST`: the name or address that metrics are served on. */
  readonly metricsHost: string
  /** `METRICS_PORT`: 0 for any free one, null for no metrics. */
  readonly metricsPort: number | null
  /** `DATA_DIR`: folder of the embedded store, absolute. */
  readonly dataDir: string
  /** `REDIS_URL`: null for windows and cache in the process. Secret: it may hold a password. */
  readonly redisUrl: string | null
  /** `MONGODB_URL`: null for the embedded store. Secret: it may hold a password. */
  readonly mongodbUrl: string | null
  /** `KEY_PEPPER`: null for the one that the embedded store makes. Secret. */
  readonly keyPepper: string | null
  /** What `PLANS_FILE` holds, or our own file: name → plan, `free` always among them. */
  readonly plans: ReadonlyMap<string, Plan>
  /** `API_REVISION`: of keys that are pinned to none. */
  readonly apiRevision: 1 | 2
  /** `SCAN_CONCURRENCY`: scans at once. */
  readonly scanConcurrency: number
  /** `TRUST_PROXY`: whose word on the client's address counts: of so many proxies, or of these addresses and blocks; null: of nobody. */
  readonly trustProxy: number | readonly string[] | null
  /** `CORS_ORIGINS`: origins whose pages may call the API, `*` for all; empty for no CORS. */
  readonly corsOrigins: readonly string[] | '*'
  /** `LOG_LEVEL`: what is logged, and all that is graver. */
  readonly logLevel: (typeof LOG_LEVELS)[number]
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
 * Reads the settings; the only place that looks at the environment. What is empty or blank is not set.
 * @throws SetupError that names all bad settings at once, without their values
 */
export function loadConfig(env: Readonly<Record<string, string | undefined>> = process.env): Config {
  const reader = new ConfigReader(env)
  const config = { ...scanSettings(reader), ...serviceSettings(reader), ...storeSettings(reader) }
  if (reader.faults.length > 0) throw new SetupError(reader.faults.join('\n'))
  return Object.freeze(config)
}

function scanSettings(reader: ConfigReader) {
  const ruleFolders = reader.list('RULES_DIRS').map((folder) => resolve(folder))
  for (const folder of ruleFolders)
    if (kindOf(folder) !== 'folder') reader.refuse('RULES_DIRS', `no such folder: ${folder}`)
  const scanAllow = reader.readAll('SCAN_ALLOW', parseAllowed, 'address[/bits][:port], IPv6 in brackets')
  const ports = reader.readAll('SCAN_PORTS', wholeNumber(1, 65_535), 'port from 1 to 65535')
  return {
    ruleFolders,
    detectorModules: reader.list('DETECTORS'),
    scanAllow,
    scanPorts: ports.length > 0 ? ports : [80, 443],
    scanDeny: reader.readAll(
      'SCAN_DENY',
      deniedHost,
      'host such as example.org or 192.0.2.7, without scheme, port and path',
    ),
    scanConcurrency: reader.number('SCAN_CONCURRENCY', 1, 10_000) ?? 64,
    contactUrl: reader.read('CONTACT_URL', contactUrl, 'write an http, https or mailto address'),
  }
}

function serviceSettings(reader: ConfigReader) {
  const port = reader.number('PORT', 0, 65_535) ?? 3000
  const metricsPort = reader.number('METRICS_PORT', 0, 65_535)
  if (metricsPort !== 0 && metricsPort === port) reader.refuse('METRICS_PORT', 'write another port than that of PORT')
  const host = reader.read('HOST', listenHost, LISTEN_HOST) ?? LOOPBACK
  const authority = `${isIP(host) === 6 ? `[${host.replace(/%.*/, '')}]` : host}:${port}`
  const logLevel = (text: string) => LOG_LEVELS.find((level) => level === text) ?? null
  return {
    host,
    port,
    publicUrl: reader.read('PUBLIC_URL', publicUrl, PUBLIC_URL) ?? `http://${authority}`,
    metricsHost: reader.read('METRICS_HOST', listenHost, LISTEN_HOST) ?? LOOPBACK,
    metricsPort,
    plans: readPlans(reader),
    apiRevision: reader.number('API_REVISION', 1, 2) === 1 ? (1 as const) : (2 as const),
    trustProxy: readTrust(reader),
    corsOrigins: readOrigins(reader),
    logLevel: reader.read('LOG_LEVEL', logLevel, `write one of ${LOG_LEVELS.join(', ')}`) ?? ('info' as const),
  }
}

function storeSettings(reader: ConfigReader) {
  const dataDir = resolve(reader.text('DATA_DIR') ?? 'data')
  if (kindOf(dataDir) === 'other') reader.refuse('DATA_DIR', 'name a folder, or one that can be made')
  const wantedUrl =
    'write mongodb://host:port/database or mongodb+srv://host/database, with special characters of user and password as %XX'
  const mongodbUrl = reader.read('MONGODB_URL', mongodbAddress, wantedUrl)
  const keyPepper = reader.read(
    'KEY_PEPPER',
    pepper,
    'write at least 32 characters: `openssl rand -base64 32` makes some',
  )
  if (reader.text('MONGODB_URL') !== null && reader.text('KEY_PEPPER') === null)
    reader.refuse('KEY_PEPPER', 'must be set with MONGODB_URL: at least 32 characters, the same on every node')
  const redisUrl = reader.read(
    'REDIS_URL',
    redisAddress,
    'write redis://host:port or rediss://host:port, with special characters of user and password as %XX',
  )
  return { dataDir, mongodbUrl, keyPepper, redisUrl }
}

const LOOPBACK = '127.0.0.1'
const LISTEN_HOST = 'write an address or a name to listen on, without scheme, brackets and port'
const PUBLIC_URL =
  'write the http or https URL that people reach the service at, such as https://siteprint.example, without user, query and fragment'

/** An address, or a name that a resolver may know: a port behind it would be looked up as part of the name. */
function listenHost(text: string): string | null {
  return isIP(text) !== 0 || /^\w(?:[\w.-]*[\w.])?$/.test(text) ? text : null
}

/** Without its last slash. */
function publicUrl(text: string): string | null {
  if (!/^https?:\/\/[^\s\\?#]+$/i.test(text) || !URL.canParse(text)) return null
  const url = new URL(text)
  return url.username === '' && url.password === '' ? url.href.replace(/\/$/, '') : null
}

const matching = (pattern: RegExp) => (text: string) => (pattern.test(text) ? text : null)
const contactUrl = matching(/^(?:https?:\/\/|mailto:)[\x21-\x7e]+$/)
const pepper = matching(/^.{32,}$/su)

/** A connection string may name several hosts, which `URL` does not read. The driver checks the rest. */
function mongodbAddress(text: string): string | null {
  const [, authority = '', database = ''] =
    /^mongodb(?:\+srv)?:\/\/([^\s/?#]+)(?:\/([^\s/?\\."$*<>:|]{0,63}))?(?:\?\S*)?$/.exec(text) ?? []
  if (!canDecode(database)) return null
  const hosts = authority.slice(authority.lastIndexOf('@') + 1).split(',')
  const isHost = (host: string): boolean => {
    const found = /^(?:\[[\da-f:.]+\]|[^:@[\]]+)(?::(?<port>\d+))?$/i.exec(host)
    return found !== null && wholeNumber(1, 65_535)(found.groups?.port ?? '27017') !== null
  }
  return hosts.every(isHost) ? text : null
}

/** What the driver takes: of a number that is none, and of a password that cannot be decoded, it would tell by a stack. */
function redisAddress(text: string): string | null {
  if (!/^rediss?:\/\//.test(text) || !URL.canParse(text)) return null
  const { hostname, pathname, username, password } = new URL(text)
  return hostname !== '' && /^(?:\/\d*)?$/.test(pathname) && canDecode(username) && canDecode(password) ? text : null
}

function canDecode(text: string): boolean {
  try {
    return decodeURIComponent(text) !== null
  } catch {
    return false
  }
}

/** A host of `SCAN_DENY`, `*.` or `.` before it being allowed. */
function deniedHost(text: string): string | null {
  return normalizeHost(text.replace(/^\*?\./, ''))
}

function readPlans(reader: ConfigReader): ReadonlyMap<string, Plan> {
  try {
    return loadPlans(reader.text('PLANS_FILE') ?? undefined)
  } catch (error) {
    if (!(error instanceof SetupError)) throw error
    for (const fault of error.message.split('\n')) reader.refuse('PLANS_FILE', fault)
    return new Map()
  }
}

/** No proxy is the same as none that is named. */
function readTrust(reader: ConfigReader): number | readonly string[] | null {
  const hops = wholeNumber(0, 100)(reader.text('TRUST_PROXY') ?? '0')
  if (hops !== null) return hops || null
  const blocks = reader.readAll(
    'TRUST_PROXY',
    addressBlock,
    'address[/bits], nor all of it a count of proxies up to 100',
  )
  return blocks.length > 0 ? blocks : null
}

/** A block of 0 bits is refused: everybody would be believed. */
function addressBlock(text: string): string | null {
  const [, literal = '', bits] = /^([\d.]+|[\da-f:.]+)(?:\/(\d{1,3}))?$/i.exec(text) ?? []
  const address = parseAddress(literal)
  if (address === null) return null
  return bits === undefined || wholeNumber(1, address.kind() === 'ipv4' ? 32 : 128)(bits) !== null ? text : null
}

function readOrigins(reader: ConfigReader): readonly string[] | '*' {
  if (reader.text('CORS_ORIGINS') === '*') return '*'
  return reader.readAll('CORS_ORIGINS', origin, 'origin such as https://app.example, nor all of it *')
}

/** An origin as browsers send it. */
function origin(text: string): string | null {
  return /^https?:\/\/[^/?#@\\]+\/?$/i.test(text) && URL.canParse(text) ? new URL(text).origin : null
}

/** A path below a file, or one that may not be looked at, is neither a folder nor free. */
function kindOf(path: string): 'folder' | 'other' | 'none' {
  try {
    const stats = statSync(path, { throwIfNoEntry: false })
    return stats === undefined ? 'none' : stats.isDirectory() ? 'folder' : 'other'
  } catch {
    return 'other'
  }
}
