import { generateKeyPairSync, sign } from 'node:crypto'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { detectors } from '../../plugins/index.ts'
import type { Ruleset } from '../../src/engine/lookup/ruleset.ts'
import { openRuleset } from '../../src/rules/load/open-ruleset.ts'
import { buildRelease, type Release, type ReleaseManifest } from '../../src/rules/release-file.ts'
import { exportRuleset } from '../../src/rules/ruleset-json.ts'
import { smallProject } from '../support/built-project.ts'
import { onFileEnd } from '../support/on-file-end.ts'

const { publicKey, privateKey } = generateKeyPairSync('ed25519')
/** The key of the released rulesets of the tests. */
export const PUBLIC_KEY = publicKey.export({ type: 'spki', format: 'der' }).toString('base64')
/** The version of Siteprint that the tests say is running. */
export const SITEPRINT = '0.1.0'
/** A page that each released ruleset of the tests recognizes, and that names its rules. */
export const PAGE = '<!doctype html><meta name=generator content="WordPress 6.6.1"><p>One page'

let small: Ruleset | undefined

/** Identifies the ruleset with a number: later numbers are newer. */
export function nameRelease(number: number, change: Partial<Release> = {}): Release {
  const date = new Date(Date.UTC(2026, 10, 1) + number * 3_600_000).toISOString()
  return { version: number.toString(16).padStart(16, '0'), siteprint: SITEPRINT, date, ...change }
}

/** The name of the builder on `PAGE`, by the version of the ruleset. */
export function nameBuilder(version: string): string {
  return `WordPress by ${version}`
}

interface TestRelease {
  readonly release: Release
  readonly bytes: Buffer
}

interface Changes {
  readonly release?: Partial<Release>
  /** What the conformance case expects, instead of what the rules find. */
  readonly builder?: string
  /** A place for the first leaf of the rule, instead of its own. */
  readonly place?: string
  readonly cases?: unknown
}

/** Builds a released ruleset whose only builder has a name with its version, with one conformance case. */
export function makeRelease(number: number, changes: Changes = {}): TestRelease {
  const release = nameRelease(number, changes.release)
  small ??= openRuleset({ own: join(smallProject().folder, 'rules'), detectors, built: 'there-is-none.json' })
  const { rules, categories } = small
  const name = nameBuilder(release.version)
  const changed = rules.map((rule) => ({
    ...rule,
    name,
    leaves: rule.leaves.map((leaf, i) => (i === 0 && changes.place ? { ...leaf, place: changes.place } : leaf)),
  }))
  const ruleset = exportRuleset({ version: release.version, categories, rules: changed })
  const page = { url: 'https://larkfield.example/', html: PAGE }
  const cases = changes.cases ?? [{ page, result: { builder: changes.builder ?? name, category: 'cms' } }]
  return { release, bytes: buildRelease(release, { ruleset, cases }, privateKey) }
}

/** Changes the manifest of a file and signs it again, as a release of another version of Siteprint would. */
export function changeManifest(bytes: Buffer, change: (manifest: ReleaseManifest) => object, key = privateKey): Buffer {
  const first = bytes.indexOf('\n')
  const second = bytes.indexOf('\n', first + 1)
  const line = Buffer.from(JSON.stringify(change(JSON.parse(bytes.subarray(0, first).toString()))))
  const signature = Buffer.from(`\n${sign(null, line, key).toString('base64')}\n`)
  return Buffer.concat([line, signature, bytes.subarray(second + 1)])
}

/** A server that offers a file. */
export interface ReleaseServer {
  readonly url: string
  /** What the server sends: the file, or what a function does with the response. */
  offered: Buffer | ((response: ServerResponse) => unknown)
  /** Number of requests. */
  requests: number
}

/** Starts a server, which is closed after the tests of this file. */
export async function openReleaseServer(): Promise<ReleaseServer> {
  const server = createServer((_, response) => {
    state.requests++
    if (typeof state.offered === 'function') state.offered(response)
    else response.end(state.offered)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onFileEnd(() => {
    server.closeAllConnections()
    server.close()
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/siteprint.rules`
  const state: ReleaseServer = { url, offered: Buffer.alloc(0), requests: 0 }
  return state
}
