import { createHash } from 'node:crypto'
import { detectors } from '../../plugins/index.ts'
import { Ruleset } from '../../src/engine/lookup/ruleset.ts'
import { buildPage, detect, type PageInput } from '../../src/index.ts'

/** The part of the rules in the smaller ruleset: the other one has 2.5 times as many. */
const SHARE = 0.4
/** Pages are taken at equal intervals. More would take longer without a more precise ratio. */
const MAX_PAGES = 300

interface Ratio {
  /** Rules of the sample and of the full ruleset. */
  readonly rules: readonly [sample: number, full: number]
  /** Time of building a page and detection with all rules, divided by that with the sample. */
  readonly timeOfAllBySample: number
  /** Time of detection with all rules, divided by that with the sample, without building the page. */
  readonly detectionOfAllBySample: number
}

/**
 * Measures how detection slows down with the number of rules: all rules compared with a sample of 40 % that is the same in every
 * run. Passes alternate on each page, and each page counts with its quickest pass, because other processes only add time. Site types are in both rulesets, or in none: each of them adds up points of the whole
 * page, so that their cost is not that of looking up rules.
 * @param rounds passes over the pages, the first of which warm up the engine; at least 3
 */
export function measureRuleShare(
  real: Ruleset,
  pages: readonly PageInput[],
  rounds: number,
): Readonly<Record<'withSiteTypes' | 'withoutSiteTypes', Ratio>> {
  const step = Math.ceil(pages.length / MAX_PAGES)
  const some = pages.filter((_, i) => i % step === 0)
  const others = real.rules.filter(({ kind }) => kind !== 'site-type')
  const bare = pickRules(real, others)
  return { withSiteTypes: compare(real, some, rounds), withoutSiteTypes: compare(bare, some, rounds) }
}

function compare(full: Ruleset, pages: readonly PageInput[], rounds: number): Ratio {
  const isWanted = ({ kind, slug }: Ruleset['rules'][number]): boolean =>
    kind === 'site-type' || isSampled(`${kind}/${slug}`)
  const sample = pickRules(full, full.rules.filter(isWanted))
  const times = [full, sample].map((set) => ({
    set,
    all: pages.map(() => Infinity),
    detection: pages.map(() => Infinity),
  }))
  for (let round = 0; round < rounds; round++)
    for (const [i, input] of pages.entries())
      for (const { set, all, detection } of i % 2 === 0 ? times : [...times].reverse()) {
        const started = performance.now()
        const page = buildPage(input)
        const built = performance.now()
        detect(set, page)
        const ended = performance.now()
        all[i] = Math.min(all[i], ended - started)
        detection[i] = Math.min(detection[i], ended - built)
      }
  const [{ all, detection }, few] = times
  return {
    rules: [sample.rules.length, full.rules.length],
    timeOfAllBySample: divideSums(all, few.all),
    detectionOfAllBySample: divideSums(detection, few.detection),
  }
}

function divideSums(a: readonly number[], b: readonly number[]): number {
  const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0)
  return Math.round((sum(a) / sum(b)) * 1000) / 1000
}

function pickRules({ categories, version }: Ruleset, rules: Ruleset['rules']): Ruleset {
  return new Ruleset({ rules, categories, detectors, version: `${version}:${rules.length}` })
}

/** Whether a rule is in the sample, which depends on nothing but its name. */
function isSampled(name: string): boolean {
  return createHash('sha256').update(name).digest().readUInt32BE(0) < SHARE * 2 ** 32
}
