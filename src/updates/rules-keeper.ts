import { setTimeout as sleep } from 'node:timers/promises'
import type { MatchPool } from '../detector/worker-pool.ts'
import { SetupError } from '../errors.ts'
import { describeRelease, type Release, type ReleaseSource } from '../rules/release-file.ts'
import type { CurrentRules } from '../scan/current-rules.ts'
import { type TriedRuleset, tryRelease } from './try-release.ts'
import { describeOutcome, type UpdateParts, updateRules } from './update-rules.ts'

/** Interval of reading which ruleset is active. Commands therefore take effect as fast as switches do. */
const FOLLOW_MS = 5000
/** Shortest time between two checks of `RULES_URL`. */
const MIN_CHECK_MS = 45 * 60_000
/** Random part of that time, so that the nodes of a service do not all fetch at once. */
const MAX_JITTER_MS = 10 * 60_000

/** Stands for the rules of this version of Siteprint, where others are named by their version. */
const BUILT_IN = 'built-in'

/** The outcome of a check of `RULES_URL`, for the metrics. */
export type CheckOutcome = 'updated' | 'unchanged' | 'refused'

/** What the rules of a server are kept fresh with. */
export interface KeeperParts extends UpdateParts {
  readonly rules: CurrentRules
  readonly scanner: {
    prepare(release: ReleaseSource | null): MatchPool
    switchTo(pool: MatchPool): void
  }
  readonly log: Record<'info' | 'error', (fields: object, message: string) => void>
  readonly count: (outcome: CheckOutcome) => void
  /** By default `FOLLOW_MS`. Tests set it. */
  readonly followMs?: number
}

/**
 * Keeps the rules of a running server fresh: fetches from `RULES_URL`, and switches to the ruleset that this server or a command has
 * made active. The ruleset in use stays until another one is loaded and tried.
 */
export class RulesKeeper {
  readonly #parts: KeeperParts
  readonly #stop = new AbortController()
  readonly #ended: Promise<void>
  /** What is in use: the version of a released ruleset, or `BUILT_IN`. */
  #current: string
  /** What could not be switched to. It is not tried again. */
  #refused: string | undefined
  /** A ruleset that was tried, with its workers, until the switch to it. */
  #tried: (TriedRuleset & { readonly file: string }) | undefined

  /** @param current the released ruleset that the scanner has loaded; null for the built-in one */
  constructor(parts: KeeperParts, current: Release | null) {
    this.#parts = parts
    this.#current = current?.version ?? BUILT_IN
    this.#ended = this.#run()
  }

  /** Ends a running check. The ruleset in use stays active. */
  async close(): Promise<void> {
    this.#stop.abort()
    await this.#ended
  }

  async #run(): Promise<void> {
    const { signal } = this.#stop
    let nextCheck = 0
    while (!signal.aborted) {
      if (performance.now() >= nextCheck) {
        await this.#check()
        nextCheck = performance.now() + MIN_CHECK_MS + Math.random() * MAX_JITTER_MS
      }
      await this.#follow()
      await sleep(this.#parts.followMs ?? FOLLOW_MS, undefined, { signal, ref: false }).catch(() => {})
    }
  }

  async #check(): Promise<void> {
    const { log, count } = this.#parts
    const { signal } = this.#stop
    try {
      const parts = { ...this.#parts, inUse: this.#parts.rules.current.version }
      const outcome = await updateRules(parts, (release) => this.#try(release), signal)
      if (outcome.kind === 'updated') this.#refused = undefined
      count(outcome.kind === 'updated' ? 'updated' : 'unchanged')
      log.info({ ruleset: outcome.release.version }, describeOutcome(outcome))
    } catch (error) {
      if (signal.aborted) return
      count('refused')
      log.error(describeError(error), 'the rules were not updated: those in use stay')
    }
  }

  async #try(release: ReleaseSource): Promise<TriedRuleset> {
    await this.#closeTried()
    const tried = await tryRelease(release, (source) => this.#parts.scanner.prepare(source), this.#stop.signal)
    this.#tried = { ...tried, file: release.file }
    return tried
  }

  async #closeTried(): Promise<void> {
    const tried = this.#tried
    this.#tried = undefined
    await tried?.pool.close()
  }

  /** Switches to the active ruleset if it is another one than that in use. */
  async #follow(): Promise<void> {
    const { folder, siteprint, log } = this.#parts
    let wanted = 'the state'
    try {
      const { active } = folder.readUsable(siteprint)
      wanted = active?.version ?? BUILT_IN
      if (wanted !== this.#current && wanted !== this.#refused) await this.#switchTo(active)
      if (wanted === this.#current) this.#refused = undefined
    } catch (error) {
      if (this.#stop.signal.aborted) return
      if (this.#refused !== wanted) log.error(describeError(error), 'the rules were not switched: those in use stay')
      this.#refused = wanted
    } finally {
      await this.#closeTried()
    }
  }

  async #switchTo(active: Release | null): Promise<void> {
    const { rules, scanner, log } = this.#parts
    const { pool, info } = await this.#load(active)
    scanner.switchTo(pool)
    rules.replace(info) // In the same turn of the event loop, so that no request sees one without the other.
    this.#current = active?.version ?? BUILT_IN
    const name = active === null ? 'the built-in rules' : describeRelease(active)
    log.info({ ruleset: info.version }, `the rules in use are now ${name}`)
  }

  /** Loads and tries a ruleset, unless a check has just done so. The built-in one needs no trial. */
  async #load(active: Release | null): Promise<TriedRuleset> {
    const { folder, publicKey, scanner } = this.#parts
    if (active === null) {
      const pool = scanner.prepare(null)
      return { pool, info: await pool.ready }
    }
    const file = folder.nameFile(active)
    const tried = this.#tried?.file === file ? this.#tried : await this.#try({ file, publicKey })
    this.#tried = undefined
    return tried
  }
}

/** An expected error is a sentence for the operator, another one needs its stack. */
function describeError(error: unknown): object {
  return error instanceof SetupError ? { why: error.message } : { err: error }
}
