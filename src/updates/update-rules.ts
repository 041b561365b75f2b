import { readFileSync } from 'node:fs'
import { SetupError } from '../errors.ts'
import { download } from '../fetch/download.ts'
import {
  checkHead,
  checkParts,
  compareReleases,
  compareVersions,
  describeRelease,
  MAX_HEAD_BYTES,
  MAX_RELEASE_BYTES,
  type Release,
  type ReleaseSource,
} from '../rules/release-file.ts'
import type { RulesetFolder, RulesetState } from './ruleset-folder.ts'

/** What an update needs. */
export interface UpdateParts {
  readonly folder: RulesetFolder
  /** `RULES_URL`. */
  readonly url: string
  /** `RULES_PUBLIC_KEY`. */
  readonly publicKey: string
  /** The version of Siteprint. */
  readonly siteprint: string
  /** The version of the rules in use, if it is known: a released ruleset with the rules of the build is not fetched. */
  readonly inUse?: string
}

/** The outcome of an update that was not refused. */
export interface UpdateOutcome {
  /** `current`: the offered ruleset is already in use. `rolled-back`: it is not newer than one that was rolled back. */
  readonly kind: 'updated' | 'current' | 'rolled-back'
  readonly release: Release
}

/** Describes an outcome in a sentence. */
export function describeOutcome({ kind, release }: UpdateOutcome): string {
  const name = describeRelease(release)
  if (kind === 'updated') return `The rules were updated to ${name}.`
  if (kind === 'current') return `The rules are up to date: ${name}.`
  return `The rules stay as they are: ${name} was rolled back, or is older than what was. A newer version will be used.`
}

/** Time limit for the first lines of the file, which say whether it is newer. */
const HEAD_MS = 20_000
const FILE_MS = 120_000

/**
 * Fetches the ruleset of `RULES_URL` if it is newer than the one in use, stores it next to that one, tries it, and then makes it the
 * active one. Running servers switch to the active one by themselves.
 * @param tryOut loads the ruleset and runs its conformance cases. @throws SetupError if it is refused
 * @throws SetupError that says why nothing was updated; the signal's reason. The ruleset in use stays active then
 */
export async function updateRules(
  parts: UpdateParts,
  tryOut: (release: ReleaseSource) => Promise<unknown>,
  signal: AbortSignal,
): Promise<UpdateOutcome> {
  const { folder, url, publicKey, siteprint } = parts
  const usable = folder.readUsable(siteprint)
  // A damaged one is fetched again.
  const state = { ...usable, active: isIntact(usable.active, parts) ? usable.active : null }
  const fetchPart = async (maxBytes: number, timeoutMs: number) => {
    const bytes = await download(url, { maxBytes, timeoutMs, signal })
    const head = checkHead(bytes, publicKey)
    return { bytes, head, kind: judge(head.manifest, state, parts) }
  }
  try {
    const first = await fetchPart(MAX_HEAD_BYTES, HEAD_MS)
    if (first.kind !== 'updated') return { kind: first.kind, release: first.head.manifest }
    const { bytes, head, kind } = await fetchPart(MAX_RELEASE_BYTES, FILE_MS)
    const { version, date, siteprint: madeWith } = head.manifest
    const release = { version, siteprint: madeWith, date }
    if (kind !== 'updated') return { kind, release }
    checkParts(bytes, head)
    await activate(release, bytes, { ...parts, tryOut, signal })
    return { kind, release }
  } catch (error) {
    if (!(error instanceof SetupError)) throw error
    const { origin, pathname } = new URL(url) // The query may contain a token.
    throw new SetupError(`no new rules from ${origin}${pathname}: ${error.message}`)
  }
}

/** Whether the stored file of a ruleset is complete, unchanged and signed with the key. */
function isIntact(release: Release | null, { folder, publicKey }: UpdateParts): boolean {
  if (release === null) return false
  try {
    const bytes = readFileSync(folder.nameFile(release))
    checkParts(bytes, checkHead(bytes, publicKey))
    return true
  } catch {
    return false
  }
}

/** @throws SetupError if the offered ruleset is older than what is in use */
function judge(
  offered: Release,
  { active, rolledBack }: RulesetState,
  { siteprint, inUse }: UpdateParts,
): UpdateOutcome['kind'] {
  if (offered.version === (active?.version ?? inUse)) return 'current'
  if (compareVersions(offered.siteprint, siteprint) < 0)
    throw new SetupError(
      `the file was made with Siteprint ${offered.siteprint}, so the built-in rules of this version, ${siteprint}, are newer`,
    )
  if (active !== null && compareReleases(offered, active) <= 0)
    throw new SetupError(`${describeRelease(offered)} is not newer than ${describeRelease(active)}, which is in use`)
  if (rolledBack !== null && compareReleases(offered, rolledBack) <= 0) return 'rolled-back'
  return 'updated'
}

async function activate(
  release: Release,
  bytes: Uint8Array,
  {
    folder,
    publicKey,
    siteprint,
    tryOut,
    signal,
  }: UpdateParts & { readonly tryOut: (release: ReleaseSource) => Promise<unknown>; readonly signal: AbortSignal },
): Promise<void> {
  folder.storeFile(release, bytes)
  try {
    await tryOut({ file: folder.nameFile(release), publicKey })
    signal.throwIfAborted()
    const { active: previous } = folder.readUsable(siteprint)
    if (previous?.version !== release.version) folder.writeState({ active: release, previous, rolledBack: null })
  } catch (error) {
    folder.removeFile(release)
    throw error
  }
}

/**
 * Returns to the ruleset that was in use before, or to the built-in rules.
 * @returns the ruleset that was rolled back, and the one that is active now; null for the built-in rules
 * @throws SetupError if the built-in rules are in use
 */
export function rollBackRules({ folder, siteprint }: Pick<UpdateParts, 'folder' | 'siteprint'>): {
  readonly from: Release
  readonly to: Release | null
} {
  const { active, previous } = folder.readUsable(siteprint)
  if (active === null) throw new SetupError('the built-in rules are in use: there is nothing to roll back to')
  folder.writeState({ active: previous, previous: null, rolledBack: active })
  return { from: active, to: previous }
}
