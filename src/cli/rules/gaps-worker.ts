import { workerData } from 'node:worker_threads'
import type { PageMarks } from '../../authoring/gaps/gap-counter.ts'
import { readPageMarks, readResultMarks } from '../../authoring/gaps/page-marks.ts'
import { Ruleset } from '../../engine/lookup/ruleset.ts'
import { type LoadOptions, loadRuleset } from '../../index.ts'
import type { GapPage } from './gap-pages.ts'

/** Content of `workerData`. */
export interface GapsTask extends LoadOptions {
  /** Rules that are left out, each as a slug or `kind/slug`. */
  readonly without: readonly string[]
}

const { without, ...options } = workerData as GapsTask
const ruleset = leaveOut(await loadRuleset(options), without)

/**
 * Reads the marks of pages. A result without a URL has none.
 * @public called by Piscina
 */
export default function readAll(pages: readonly GapPage[]): PageMarks[] {
  return pages.flatMap(({ name, input, result }) => {
    if (input !== null) return readPageMarks(ruleset, name, input)
    if (result === null || result.url === null) return []
    const isFound = result.builder !== null || result.hosting !== null
    return readResultMarks(name, { url: result.url, builder: result.builder, isFound }) ?? []
  })
}

function leaveOut(all: Ruleset, names: readonly string[]): Ruleset {
  if (names.length === 0) return all
  const rules = all.rules.filter(({ kind, slug }) => !names.includes(slug) && !names.includes(`${kind}/${slug}`))
  const detectors = [...all.places.values()].map(({ detector }) => detector)
  return Ruleset.of({ rules, categories: all.categories, version: all.version }, detectors)
}
