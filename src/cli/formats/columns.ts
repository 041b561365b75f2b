import { findCdn } from '../../scan/extras.ts'
import type { ScannedPage, ScanRecord } from './scan-record.ts'

export type ColumnValue = string | number | boolean | null | undefined

/** Kinds of input. They differ in the data that is available about an item. */
export type InputKind = 'live' | 'saved' | 'warc'

/** A column of CSV. */
export interface Column {
  readonly name: string
  /** Its description in the help. */
  readonly about: string
  readonly read: (record: ScanRecord) => ColumnValue
  /** The kinds of input that have it; all when absent. */
  readonly kinds?: readonly InputKind[]
  /** Whether it is written without `--columns`. */
  readonly isDefault?: true
}

/** Separates several values of one cell. */
export const SEPARATOR = '; '

const ofKey =
  (name: string) =>
  ({ key }: ScanRecord): ColumnValue =>
    key[name]
const ofPage =
  (read: (page: ScannedPage) => ColumnValue) =>
  ({ outcome }: ScanRecord): ColumnValue =>
    'verdict' in outcome ? read(outcome) : null
const ofFailure =
  (name: 'error' | 'code') =>
  ({ outcome }: ScanRecord): ColumnValue =>
    'verdict' in outcome ? null : outcome[name]
const readId = ({ key }: ScanRecord): ColumnValue => key.id ?? (key.line === undefined ? null : `line ${key.line}`)
const joinVersions = ({ verdict }: ScannedPage): string =>
  Object.entries(verdict.versions)
    .map(([name, version]) => `${name} ${version}`)
    .join(SEPARATOR)

const joinEnded = ({ details }: ScannedPage): string =>
  details
    .filter(({ support }) => support?.state === 'ended' && support.certain)
    .map(({ name, version }) => `${name} ${version}`)
    .join(SEPARATOR)

const joinParts = ({ parts = [] }: ScannedPage): string =>
  parts.map(({ url, builder }) => (builder === null ? url : `${url} ${builder}`)).join(SEPARATOR)

const LIVE = ['live'] as const
const OFFLINE = ['saved', 'warc'] as const
const WARC = ['warc'] as const

/** All columns, in the order in which they are written by default. */
const COLUMNS: readonly Column[] = [
  { name: 'url', about: 'the site, as the list names it', kinds: LIVE, read: ofKey('url'), isDefault: true },
  { name: 'id', about: 'the page', kinds: OFFLINE, read: readId, isDefault: true },
  { name: 'date', about: 'WARC-Date', kinds: WARC, read: ofKey('date'), isDefault: true },
  { name: 'recordId', about: 'WARC-Record-ID', kinds: WARC, read: ofKey('recordId'), isDefault: true },
  {
    name: 'finalUrl',
    about: 'after redirects',
    kinds: LIVE,
    read: ofPage(({ verdict }) => verdict.url),
    isDefault: true,
  },
  { name: 'url', about: 'its address', kinds: OFFLINE, read: ofPage(({ verdict }) => verdict.url), isDefault: true },
  { name: 'status', about: 'HTTP status', read: ofPage(({ status }) => status), isDefault: true },
  { name: 'title', about: 'title of the page', read: ofPage(({ title }) => title) },
  { name: 'builder', about: '', read: ofPage(({ verdict }) => verdict.builder), isDefault: true },
  { name: 'builderSlug', about: '', read: ofPage(({ verdict }) => verdict.builderSlug), isDefault: true },
  { name: 'confidence', about: '', read: ofPage(({ verdict }) => verdict.confidence), isDefault: true },
  { name: 'category', about: '', read: ofPage(({ verdict }) => verdict.category), isDefault: true },
  { name: 'isAiNative', about: '', read: ofPage(({ verdict }) => verdict.isAiNative), isDefault: true },
  {
    name: 'technologies',
    about: 'names',
    read: ofPage(({ verdict }) => verdict.technologies.join(SEPARATOR)),
    isDefault: true,
  },
  { name: 'versions', about: 'names with versions', read: ofPage(joinVersions) },
  { name: 'ended', about: 'names with versions whose support has ended', read: ofPage(joinEnded) },
  { name: 'parts', about: 'addresses and builders of the pages, with --pages', kinds: LIVE, read: ofPage(joinParts) },
  { name: 'hosting', about: '', read: ofPage(({ verdict }) => verdict.hosting), isDefault: true },
  { name: 'cdn', about: '', read: ofPage(({ verdict }) => findCdn(verdict)), isDefault: true },
  { name: 'siteType', about: '', read: ofPage(({ verdict }) => verdict.siteType), isDefault: true },
  {
    name: 'pageState',
    about: 'what came back: site, wall, missing …',
    read: ofPage(({ verdict }) => verdict.page.state),
  },
  { name: 'pageBy', about: 'whose page came back instead', read: ofPage(({ verdict }) => verdict.page.by) },
  { name: 'ip', about: '', kinds: LIVE, read: ofPage(({ infrastructure }) => infrastructure?.ip) },
  {
    name: 'network',
    about: 'operator of the network of the address',
    kinds: LIVE,
    read: ofPage(({ infrastructure }) => infrastructure?.network?.name),
  },
  {
    name: 'asn',
    about: 'number of this network',
    kinds: LIVE,
    read: ofPage(({ infrastructure }) => infrastructure?.network?.asn),
  },
  {
    name: 'reverseDns',
    about: 'name of the address',
    kinds: LIVE,
    read: ofPage(({ infrastructure }) => infrastructure?.reverseDns),
  },
  { name: 'server', about: 'header Server', kinds: LIVE, read: ofPage(({ infrastructure }) => infrastructure?.server) },
  {
    name: 'dns',
    about: 'domains of the name servers',
    kinds: LIVE,
    read: ofPage(({ infrastructure }) => infrastructure?.dns.join(SEPARATOR)),
  },
  {
    name: 'tlsIssuer',
    about: 'issuer of the certificate',
    kinds: LIVE,
    read: ofPage(({ infrastructure }) => infrastructure?.tlsIssuer),
  },
  {
    name: 'tlsError',
    about: 'why the certificate is invalid',
    kinds: LIVE,
    read: ofPage(({ infrastructure }) => infrastructure?.tlsError),
  },
  { name: 'warnings', about: '', read: ofPage(({ verdict }) => verdict.warnings.join(SEPARATOR)) },
  { name: 'scannedAt', about: 'end of the scan, UTC', read: ({ outcome }) => outcome.scannedAt, isDefault: true },
  { name: 'durationMs', about: 'milliseconds', read: ({ outcome }) => Math.round(outcome.durationMs) },
  { name: 'ruleset', about: 'version of the rules', read: ({ outcome }) => outcome.ruleset },
  { name: 'error', about: 'why the scan failed', read: ofFailure('error'), isDefault: true },
  { name: 'code', about: 'error code; empty for a result', read: ofFailure('code'), isDefault: true },
]

/** Lists the columns of a kind of input. The first one names the item. */
export function listColumns(kind: InputKind): readonly Column[] {
  return COLUMNS.filter(({ kinds = [kind] }) => (kinds as readonly InputKind[]).includes(kind))
}

/** The names of all columns. */
export const COLUMN_NAMES: readonly string[] = COLUMNS.map(({ name }) => name)
