import { median } from '../statistics/quantile.ts'
import type { Agreement, DetectorSummary, LabelScore, NameCount, PairSummary } from './comparison.ts'
import type { LabelledNames, NameKeys } from './match-names.ts'
import type { PageLine } from './read-pages.ts'
import { type DetectorRun, sum } from './run-detectors.ts'

/** Number of names that are listed for a pair. */
const MAX_NAMES = 15

/** The keys that a detector names, by page. */
export type Named = readonly ReadonlySet<string>[]

/** Collects the names of all detectors. The first spelling of a name is the one to show. */
export function collectNames(
  runs: readonly DetectorRun[],
  keys: NameKeys,
): { readonly named: readonly Named[]; readonly spelling: ReadonlyMap<string, string> } {
  const spelling = new Map<string, string>()
  const named = runs.map(({ answers }) =>
    answers.map(
      ({ names }) =>
        new Set(
          names.map((name) => {
            const key = keys.get(name)
            if (!spelling.has(key)) spelling.set(key, name)
            return key
          }),
        ),
    ),
  )
  return { named, spelling }
}

/** Sums up what each detector did. @param labelled null if no page has a label */
export function summarizeDetectors(
  runs: readonly DetectorRun[],
  pages: readonly PageLine[],
  { named, labelled }: { readonly named: readonly Named[]; readonly labelled: LabelledNames | null },
): DetectorSummary[] {
  return runs.map((run, at) => {
    const sets = named[at]
    const namings = sum(sets.map(({ size }) => size))
    const isAlone = (key: string, page: number): boolean => named.every((other, i) => i === at || !other[page].has(key))
    const worst = run.answers.reduce((worse, { ms }, page) => (ms > run.answers[worse].ms ? page : worse), 0)
    return {
      name: run.name,
      version: run.info.version,
      rules: run.info.rules,
      namings,
      namingsPerPage: round(namings / pages.length),
      names: new Set(sets.flatMap((set) => [...set])).size,
      versionsPerPage: round(sum(run.answers.map(({ versions }) => Object.keys(versions).length)) / pages.length),
      alone: sum(sets.map((set, page) => [...set].filter((key) => isAlone(key, page)).length)),
      failures: run.answers.filter(({ failure }) => failure !== null).length,
      pagesPerSecond: round(countPagesPerSecond(run.rounds)),
      speed: round(median(run.rounds.map((times, i) => sum(runs[0].rounds[i]) / sum(times)))),
      exchangedPerSecond: round(countPagesPerSecond(run.exchanges)),
      startMs: Math.round(run.startMs),
      memoryMiB: run.memoryMiB === null ? null : Math.round(run.memoryMiB),
      twice: run.twice === null ? null : round(run.twice),
      worst: { id: pages[worst].id, ms: round(run.answers[worst].ms) },
      labels: labelled === null ? null : scoreLabels(pages, sets, labelled),
    }
  })
}

/** Of the sum of the medians of each page. */
function countPagesPerSecond(rounds: readonly (readonly number[])[]): number {
  const perPage = rounds[0].map((_, page) => median(rounds.map((times) => times[page])))
  return (1000 * perPage.length) / sum(perPage)
}

function scoreLabels(pages: readonly PageLine[], named: Named, labelled: LabelledNames): LabelScore {
  const scores = pages.flatMap(({ label }, i) => (label === null ? [] : [labelled.judge(label, named[i])]))
  const right = sum(scores.map((one) => one.right))
  const wrong = sum(scores.map((one) => one.wrong))
  const missed = sum(scores.map((one) => one.missed))
  const divide = (all: number): number | null => (all === 0 ? null : Math.round((10_000 * right) / all) / 10_000)
  return { right, wrong, missed, precision: divide(right + wrong), recall: divide(right + missed) }
}

/** Compares each two detectors. */
export function summarizePairs(
  runs: readonly DetectorRun[],
  named: readonly Named[],
  spelling: ReadonlyMap<string, string>,
): PairSummary[] {
  return runs.flatMap((first, i) =>
    runs.slice(i + 1).map((second, j) => {
      const [a, b] = [named[i], named[i + 1 + j]]
      const names = intersect(joinSets(a), joinSets(b))
      const [onlyA, onlyB] = [countOnly(a, b), countOnly(b, a)]
      const list = (counts: ReadonlyMap<string, number>): NameCount[] =>
        [...counts]
          .sort(([m, x], [n, y]) => y - x || (m < n ? -1 : 1))
          .slice(0, MAX_NAMES)
          .map(([key, count]) => [spelling.get(key) ?? key, count])
      return {
        first: first.name,
        second: second.name,
        ...measureAgreement(a, b),
        shared: { names: names.size, ...measureAgreement(keepOnly(a, names), keepOnly(b, names)) },
        topFirst: list(onlyA),
        topSecond: list(onlyB),
      }
    }),
  )
}

function measureAgreement(a: Named, b: Named): Agreement {
  const both = sum(a.map((set, page) => intersect(set, b[page]).size))
  const onlyFirst = sum(a.map(({ size }) => size)) - both
  const onlySecond = sum(b.map(({ size }) => size)) - both
  const all = both + onlyFirst + onlySecond
  return { both, onlyFirst, onlySecond, share: all === 0 ? 1 : round(both / all) }
}

function countOnly(a: Named, b: Named): Map<string, number> {
  const counts = new Map<string, number>()
  for (const [page, set] of a.entries())
    for (const key of set) if (!b[page].has(key)) counts.set(key, (counts.get(key) ?? 0) + 1)
  return counts
}

function joinSets(named: Named): ReadonlySet<string> {
  return new Set(named.flatMap((set) => [...set]))
}

function keepOnly(named: Named, names: ReadonlySet<string>): Named {
  return named.map((set) => intersect(set, names))
}

function intersect(a: ReadonlySet<string>, b: ReadonlySet<string>): ReadonlySet<string> {
  return new Set([...a].filter((key) => b.has(key)))
}

/** Rounds to three significant digits, and to whole numbers above 100. */
function round(value: number): number {
  return value >= 100 ? Math.round(value) : Number(value.toPrecision(3))
}
