import { createHash, createPublicKey, type KeyObject, sign, verify } from 'node:crypto'
import { gunzipSync, gzipSync } from 'node:zlib'
import { SetupError } from '../errors.ts'
import { RULESET_FORMAT } from './ruleset-format.ts'

// A released ruleset is one file: the manifest as JSON on the first line, the Ed25519 signature of this line's bytes in base64 on the
// second, then the compiled ruleset and its conformance cases, each as gzip-compressed JSON.

/** Identifies a released ruleset. */
export interface Release {
  /** Fingerprint of the rules: 16 hexadecimal digits. */
  readonly version: string
  /** The version of Siteprint that it was made with. */
  readonly siteprint: string
  /** When it was made, in ISO 8601 (UTC). */
  readonly date: string
}

interface ReleasePart {
  /** Length of the compressed part. */
  readonly bytes: number
  /** SHA-256 of the compressed part in hexadecimal digits. */
  readonly sha256: string
}

/** The first line of the file. */
export interface ReleaseManifest extends Release {
  /** The format of the compiled ruleset. */
  readonly format: number
  readonly ruleset: ReleasePart
  readonly cases: ReleasePart
}

/** The beginning of the file, whose signature was checked, and where its parts begin. */
export interface CheckedHead {
  readonly manifest: ReleaseManifest
  readonly length: number
}

/** Where a released ruleset is read from. Plain data, which workers receive. */
export interface ReleaseSource {
  /** Path of the file. */
  readonly file: string
  /** The public key: Ed25519, SPKI, base64. */
  readonly publicKey: string
}

/** The first two lines of a file are shorter than this number of bytes. */
export const MAX_HEAD_BYTES = 4096
/** Limit of the file in bytes. The ruleset of 3,500 rules with its cases takes 1 MB. */
export const MAX_RELEASE_BYTES = 64 * 1024 * 1024
const LINE_FEED = 10

/**
 * Reads a public key: PEM, or only its base64 text.
 * @returns the base64 text on one line; null if it is not an Ed25519 key
 */
export function parsePublicKey(text: string): string | null {
  const base64 = text.replace(/-----(?:BEGIN|END) PUBLIC KEY-----|\s/g, '')
  try {
    return openPublicKey(base64).asymmetricKeyType === 'ed25519' ? base64 : null
  } catch {
    return null
  }
}

function openPublicKey(base64: string): KeyObject {
  return createPublicKey({ key: Buffer.from(base64, 'base64'), format: 'der', type: 'spki' })
}

/**
 * Builds the file of a released ruleset.
 * @param content the compiled ruleset and its conformance cases, which become JSON
 * @param privateKey an Ed25519 key
 */
export function buildRelease(
  release: Release,
  content: { readonly ruleset: unknown; readonly cases: unknown },
  privateKey: KeyObject,
): Buffer {
  const [ruleset, cases] = [content.ruleset, content.cases].map((part) => gzipSync(JSON.stringify(part), { level: 9 }))
  const manifest: ReleaseManifest = {
    ...release,
    format: RULESET_FORMAT,
    ruleset: describePart(ruleset),
    cases: describePart(cases),
  }
  const line = Buffer.from(JSON.stringify(manifest))
  const signature = sign(null, line, privateKey).toString('base64')
  return Buffer.concat([line, Buffer.from(`\n${signature}\n`), ruleset, cases])
}

function describePart(bytes: Uint8Array): ReleasePart {
  return { bytes: bytes.length, sha256: hash(bytes) }
}

function hash(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}

/**
 * Checks the beginning of a file: its signature, then the format of the ruleset.
 * @param bytes at least the first `MAX_HEAD_BYTES` bytes, or the whole file
 * @throws SetupError that says why the file is refused
 */
export function checkHead(bytes: Uint8Array, publicKey: string): CheckedHead {
  const first = bytes.subarray(0, MAX_HEAD_BYTES).indexOf(LINE_FEED)
  const second = bytes.subarray(0, MAX_HEAD_BYTES).indexOf(LINE_FEED, first + 1)
  if (first < 0 || second < 0) throw new SetupError('the file is not a released ruleset, or it is cut')
  const line = bytes.subarray(0, first)
  const signature = Buffer.from(Buffer.from(bytes.subarray(first + 1, second)).toString('latin1'), 'base64')
  if (!verify(null, line, openPublicKey(publicKey), signature))
    throw new SetupError(
      'the signature of the file is not valid: the file was changed, or signed with a key other than RULES_PUBLIC_KEY',
    )
  const manifest = parseManifest(line)
  if (manifest === null) throw new SetupError('the first line of the file is not a manifest')
  const { format } = manifest
  if (format > RULESET_FORMAT)
    throw new SetupError(
      `the format of the file, ${format}, is newer than ${RULESET_FORMAT}, which this version reads: upgrade Siteprint`,
    )
  if (format < RULESET_FORMAT)
    throw new SetupError(`the format of the file, ${format}, is older than ${RULESET_FORMAT}, which this version reads`)
  return { manifest, length: second + 1 }
}

function parseManifest(line: Uint8Array): ReleaseManifest | null {
  try {
    const data = JSON.parse(Buffer.from(line).toString('utf8')) as Partial<ReleaseManifest> | null
    const { format, ruleset, cases } = data ?? {}
    const isPart = (part: Partial<ReleasePart> | undefined): boolean =>
      Number.isSafeInteger(part?.bytes) && typeof part?.sha256 === 'string'
    return isRelease(data) && Number.isSafeInteger(format) && isPart(ruleset) && isPart(cases)
      ? (data as ReleaseManifest)
      : null
  } catch {
    return null
  }
}

/** Whether a value identifies a release. The version is a part of file names. */
export function isRelease(data: Partial<Release> | null | undefined): data is Release {
  const { version, siteprint, date } = data ?? {}
  return (
    /^[\da-f]{16}$/.test(`${version}`) &&
    /^\d+\.\d+\.\d+\b/.test(`${siteprint}`) &&
    /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(`${date}`)
  )
}

/**
 * Reads one part of a file whose head was checked.
 * @returns the parsed JSON
 * @throws SetupError if the file is cut, or the part is damaged
 */
export function readPart(bytes: Uint8Array, head: CheckedHead, name: PartName): unknown {
  return JSON.parse(gunzipSync(checkPart(bytes, head, name)).toString('utf8'))
}

/** Checks that a file whose head was checked is complete and unchanged. @throws SetupError */
export function checkParts(bytes: Uint8Array, head: CheckedHead): void {
  for (const name of ['ruleset', 'cases'] as const) checkPart(bytes, head, name)
}

type PartName = 'ruleset' | 'cases'

function checkPart(bytes: Uint8Array, { manifest, length }: CheckedHead, name: PartName): Uint8Array {
  const { ruleset, cases } = manifest
  const whole = length + ruleset.bytes + cases.bytes
  if (bytes.length < whole) throw new SetupError(`the file is cut: it has ${bytes.length} of ${whole} bytes`)
  const start = name === 'ruleset' ? length : length + ruleset.bytes
  const part = bytes.subarray(start, start + manifest[name].bytes)
  if (hash(part) !== manifest[name].sha256) throw new SetupError('the file is damaged: its content has another hash')
  return part
}

/** Compares two releases: by the version of Siteprint, then by date. Negative if `a` is the older one. */
export function compareReleases(
  a: Pick<Release, 'siteprint' | 'date'>,
  b: Pick<Release, 'siteprint' | 'date'>,
): number {
  return compareVersions(a.siteprint, b.siteprint) || Date.parse(a.date) - Date.parse(b.date)
}

/** Compares two versions of Siteprint by their three numbers. Negative if `a` is the older one. */
export function compareVersions(a: string, b: string): number {
  const [one, other] = [a, b].map((version) => version.split(/[.+-]/, 3).map(Number))
  const at = one.findIndex((number, i) => number !== other[i])
  return at < 0 ? 0 : one[at] - other[at]
}

/** Describes a release in a sentence, such as `version 0123456789abcdef of 2026-11-26`. */
export function describeRelease({ version, date }: Release): string {
  return `version ${version} of ${date.slice(0, 10)}`
}
