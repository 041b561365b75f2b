import { parentPort, workerData } from 'node:worker_threads'
import { detectors } from '../../plugins/index.ts'
import { type LoadedPackage, listPackages } from '../../plugins/packages/list-packages.ts'
import { Ruleset } from '../engine/lookup/ruleset.ts'
import { openRulesetFile, writeRulesetFile } from '../engine/lookup/ruleset-file.ts'
import { buildPage, type PageInput } from '../engine/page/page.ts'
import { selectPages } from '../engine/page/select-pages.ts'
import { cutLine, MAX_TITLE } from '../engine/text/bounds.ts'
import { detect } from '../engine/verdict/detect.ts'
import type { Verdict } from '../engine/verdict/verdict-types.ts'
import type { LoadOptions } from './load-ruleset.ts'
import { buildWarmUpPage } from './warm-up-page.ts'

/** A page for a worker. */
export interface Task {
  readonly id: number
  readonly input: PageInput
  /** Whether other pages of the site are selected from the links of the page. */
  readonly selectsPages?: boolean
}

/** The result of matching one page. */
export interface Matched {
  /** Plain data that includes the evidence. */
  readonly verdict: Verdict
  /** The title of the page on one line, cut to a bound; null if it has none. */
  readonly title: string | null
  /** The npm packages that the page loads by name. */
  readonly packages: readonly LoadedPackage[]
  /** The addresses of the selected pages; absent if they were not asked for. */
  readonly pages?: readonly string[]
  /** Whether the page has scripts and hardly any text: only a browser shows what it contains. */
  readonly isShell: boolean
  readonly buildMs: number
  readonly detectMs: number
}

/** Fewer visible words than any page with content has; a sentence that asks for scripts has about twenty. */
const MAX_SHELL_WORDS = 40

/** Content of `workerData`. */
export interface WorkerRules {
  /** Options of `loadRuleset`. */
  readonly options: LoadOptions
  /** The compiled ruleset of these options, which all workers share; null if each worker has to load it. */
  readonly shared: ArrayBufferLike | null
  /** Whether the worker matches a page of its own before it is ready. */
  readonly isWarmedUp: boolean
}

const { options, shared, isWarmedUp } = workerData as WorkerRules
const ruleset =
  shared === null
    ? await (await import('./load-ruleset.ts')).loadRuleset(options)
    : new Ruleset(openRulesetFile(shared, true), detectors)
// V8 and the index prepare much on first use. This page triggers that, so that it does not count towards the time limit of a
// client's page. Twice: after one page of double the size, the first page of a client took 5 ms longer, most of it for collecting what the
// first use has left.
if (isWarmedUp) for (let i = 0; i < 2; i++) match({ id: 0, input: buildWarmUpPage() })

/**
 * Returns the compiled ruleset that this worker has loaded, as a file.
 * @public called by name
 */
export function file(): ArrayBufferLike {
  return writeRulesetFile(ruleset.packed).buffer
}

/**
 * Returns the version of the rules that this worker has loaded.
 * @public called by name
 */
export function version(): string {
  return ruleset.version
}

/**
 * Builds the page and runs detection. Sends the ID first, which starts the time limit of the page.
 * @public called by name
 */
export function match({ id, input, selectsPages }: Task): Matched {
  parentPort?.postMessage(id)
  const started = performance.now()
  const page = buildPage(input)
  const built = performance.now()
  const verdict = detect(ruleset, page)
  const title = page.title ? cutLine(page.title, MAX_TITLE) : null
  const packages = listPackages(page, (name) => ruleset.places.get('npm')?.has(name) ?? false)
  const isShell = page.words < MAX_SHELL_WORDS && page.tape.tags.includes('script')
  const detected = performance.now()
  return {
    verdict: { ...verdict },
    title,
    packages,
    isShell,
    ...(selectsPages && { pages: selectPages(page) }),
    buildMs: built - started,
    detectMs: detected - built,
  }
}
