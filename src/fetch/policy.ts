import type { KeyObject } from 'node:crypto'
import type { AllowedAddress } from './address.ts'
import type { BotIdentity } from './bot-identity.ts'

/**
 * The addresses that scans may contact, and the limits on what they read. A plain value, so that tests can pass their
 * own.
 */
export interface Policy {
  /** Ports in addition to the default port of the scheme. */
  readonly ports: readonly number[]
  /** Literal addresses that are allowed although they are not public; never names. */
  readonly allow: readonly AllowedAddress[]
  /** Hosts that are never scanned, including their subdomains; in lower case. */
  readonly deny: readonly string[]
  /** The service's own addresses, which it never scans. On a literal address in `allow`, only their port is denied. */
  readonly own: readonly { readonly host: string; readonly port: number }[]
  /** Time limit of a scan, from the first DNS lookup to the last byte, including redirects. */
  readonly deadlineMs: number
  readonly maxRedirects: number
  /** Bytes of a body as transferred. */
  readonly maxWireBytes: number
  /** Bytes of a body after decompression. */
  readonly maxBodyBytes: number
  readonly maxHeaderBytes: number
  /** Time limit for each piece of side evidence (DNS, robots, favicon). */
  readonly evidenceMs: number
  /** Time limit for all side evidence, from the end of the page's body. */
  readonly evidenceAfterBodyMs: number
  /** Whether scripts and style sheets of the page are fetched and analysed as text. */
  readonly fetchesBodies: boolean
  /** Time limit for all scripts and style sheets, from the end of the page's body. */
  readonly bodiesAfterPageMs: number
  /** Concurrent connections to one origin. */
  readonly connections: number
  readonly userAgent: string
  /** With what each request is signed; null if requests are not signed. */
  readonly identity: BotIdentity | null
}

/** The limits that docs/fetching.md lists. */
export const DEFAULT_POLICY: Policy = {
  ports: [80, 443],
  allow: [],
  deny: [],
  own: [],
  deadlineMs: 10_000,
  maxRedirects: 5,
  maxWireBytes: 2 * 1024 * 1024,
  maxBodyBytes: 4 * 1024 * 1024,
  maxHeaderBytes: 16 * 1024,
  evidenceMs: 1500,
  evidenceAfterBodyMs: 300,
  fetchesBodies: true,
  bodiesAfterPageMs: 2500,
  connections: 3,
  userAgent: 'Siteprint',
  identity: null,
}

/** The part of a policy that an operator configures. */
export interface PolicySettings {
  readonly scanAllow: readonly AllowedAddress[]
  readonly scanPorts: readonly number[]
  readonly scanDeny: readonly string[]
  readonly contactUrl: string | null
  readonly scanScripts: boolean
  /** The Ed25519 key that signs requests, and the origin that publishes its public half; null without. */
  readonly botKey: KeyObject | null
  readonly botDirectory: string | null
}

/** @param version the project's version, for the user agent */
export function buildPolicy(settings: PolicySettings, version: string): Policy {
  const { scanAllow, scanPorts, scanDeny, contactUrl, scanScripts, botKey, botDirectory } = settings
  const userAgent = formatUserAgent(version, contactUrl)
  const targets = { ports: scanPorts, allow: scanAllow, deny: scanDeny }
  const identity = botKey !== null && botDirectory !== null ? { key: botKey, directoryOrigin: botDirectory } : null
  return { ...DEFAULT_POLICY, ...targets, fetchesBodies: scanScripts, userAgent, identity }
}

/** Identifies the scanner truthfully, with a contact address if one is configured. */
function formatUserAgent(version: string, contactUrl: string | null): string {
  return `Siteprint/${version}${contactUrl === null ? '' : ` (+${contactUrl})`}`
}
