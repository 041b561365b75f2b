import type { AllowedAddress } from './address.ts'

/** Who may be contacted and how much is taken from them. A value: tests pass their own. */
export interface Policy {
  /** Ports beside the default of the scheme. */
  readonly ports: readonly number[]
  /** Literal addresses that are open though they are not public; never names. */
  readonly allow: readonly AllowedAddress[]
  /** Hosts that are never scanned, with everything below them; lower case. */
  readonly deny: readonly string[]
  /** Addresses of this service itself, which it never scans: on a literal that `allow` opens, only their port is denied. */
  readonly own: readonly { readonly host: string; readonly port: number }[]
  /** From the first look-up to the last byte, redirects included. */
  readonly deadlineMs: number
  readonly maxRedirects: number
  /** Bytes of a body as they come over the wire. */
  readonly maxWireBytes: number
  /** Bytes of a body when it is unpacked. */
  readonly maxBodyBytes: number
  readonly maxHeaderBytes: number
  /** What stands beside the page (DNS, robots, favicon) gets so long, … */
  readonly evidenceMs: number
  /** … and never longer than this after the body has ended. */
  readonly evidenceAfterBodyMs: number
  /** Connections to one origin at a time. */
  readonly connections: number
  readonly userAgent: string
}

/** The bounds of ../../docs/fetching.md. */
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
  connections: 3,
  userAgent: 'Siteprint',
}

/** What an operator sets of a policy. */
export interface PolicySettings {
  readonly scanAllow: readonly AllowedAddress[]
  readonly scanPorts: readonly number[]
  readonly scanDeny: readonly string[]
  readonly contactUrl: string | null
}

/** @param version of the project */
export function buildPolicy({ scanAllow, scanPorts, scanDeny, contactUrl }: PolicySettings, version: string): Policy {
  const userAgent = userAgentOf(version, contactUrl)
  return { ...DEFAULT_POLICY, ports: scanPorts, allow: scanAllow, deny: scanDeny, userAgent }
}

/** What a scan calls itself: truthfully, with an address to write to where there is one. */
function userAgentOf(version: string, contactUrl: string | null): string {
  return `Siteprint/${version}${contactUrl === null ? '' : ` (+${contactUrl})`}`
}
