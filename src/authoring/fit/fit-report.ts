import type { TypeDecision } from '../../engine/rule/types.ts'
import type { Prediction, Types } from './fit-points.ts'
import { NO_TYPE } from './labelled-pages.ts'

/** Margins of the curve, in tenths. */
const CURVE = [0, 2, 4, 6, 8, 10, 12, 14, 16, 20, 25, 30]
/** Margins of the curves by type, and labelled pages that a type needs for a curve. */
const TYPE_CURVE = [0, 4, 8, 12, 16, 20, 25]
const MIN_CURVE_PAGES = 20
/** Maximum number of pairs of types in the confusion table. */
const MAX_CONFUSIONS = 25

const formatShare = (part: number, whole: number): string =>
  whole === 0 ? '–' : `${((100 * part) / whole).toFixed(1)} %`

function formatRow(cells: readonly (string | number)[]): string {
  return cells.map((cell, i) => (i === 0 ? String(cell).padEnd(16) : String(cell).padStart(10))).join('')
}

/** Formats recall and precision by type, their mean, and which types are taken for which. */
export function formatFit(predictions: readonly Prediction[], { all }: Types): string {
  const named = predictions.filter(({ named }) => named !== null)
  const right = named.filter(({ page, named }) => page.siteType === named).length
  const typed = predictions.filter(({ page }) => page.siteType !== NO_TYPE).length
  const others = predictions.filter(({ page }) => page.siteType === NO_TYPE)
  const rows = all
    .map(({ slug }) => slug)
    .filter((slug) => slug !== NO_TYPE)
    .map((slug) => countType(slug, predictions))
    .filter(({ pages, named }) => pages + named > 0)
    .sort((a, b) => b.pages - a.pages)
  const shown = rows.filter(({ pages }) => pages > 0)
  const mean = (pick: (row: TypeCount) => number): string =>
    `${((100 * shown.reduce((sum, row) => sum + pick(row), 0)) / Math.max(1, shown.length)).toFixed(1)} %`
  return [
    `right ${formatShare(right, typed)} of ${typed} pages with a type; right of the named ${formatShare(right, named.length)}; ` +
      `null for ${formatShare(others.filter(({ named }) => named === null).length, others.length)} of ${others.length} pages of no type`,
    formatRow(['type', 'pages', 'right', 'wrong', 'null', 'recall', 'precision']),
    ...rows.map(({ slug, pages, named, right, wrong }) =>
      formatRow([
        slug,
        pages,
        right,
        wrong,
        pages - right - wrong,
        formatShare(right, pages),
        formatShare(right, named),
      ]),
    ),
    `mean over types: recall ${mean(({ right, pages }) => right / pages)}, precision ${mean(({ right, named }) => (named === 0 ? 0 : right / named))}`,
    ...formatConfusions(predictions),
  ].join('\n')
}

interface TypeCount {
  readonly slug: string
  /** Pages with this label. */
  readonly pages: number
  /** Pages that were given this type. */
  readonly named: number
  readonly right: number
  /** Pages with this label that were given another type. */
  readonly wrong: number
}

function countType(slug: string, predictions: readonly Prediction[]): TypeCount {
  const own = predictions.filter(({ page }) => page.siteType === slug)
  const right = own.filter(({ named }) => named === slug).length
  return {
    slug,
    pages: own.length,
    named: predictions.filter(({ named }) => named === slug).length,
    right,
    wrong: own.filter(({ named }) => named !== null).length - right,
  }
}

function formatConfusions(predictions: readonly Prediction[]): string[] {
  const counts = new Map<string, number>()
  for (const { page, named } of predictions)
    if (named !== null && named !== page.siteType) {
      const pair = `${page.siteType} → ${named}`
      counts.set(pair, (counts.get(pair) ?? 0) + 1)
    }
  const sorted = [...counts].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1)).slice(0, MAX_CONFUSIONS)
  return sorted.length === 0 ? [] : ['label → verdict:', ...sorted.map(([pair, count]) => `  ${pair}: ${count}`)]
}

/** Formats precision against coverage: what other margins would give, for all types alike and for single types. */
export function formatCurve(predictions: readonly Prediction[], decision: TypeDecision, { all }: Types): string {
  const { margin } = decision
  const typed = predictions.filter(({ page }) => page.siteType !== NO_TYPE).length
  const margins = [...new Set([...CURVE, margin])].sort((a, b) => a - b)
  const rows = margins.map((least) => {
    const named = predictions.filter(({ best, lead }) => best !== null && lead >= least)
    const right = named.filter(({ page, best }) => page.siteType === best).length
    const cells = [least === margin ? `${least} (now)` : least, named.length, formatShare(right, typed)]
    return formatRow([...cells, formatShare(right, named.length)])
  })
  const curves = all.flatMap(({ slug }) => formatTypeCurve(slug, predictions, decision) ?? [])
  const head = formatRow(['recall/precision', 'now', ...TYPE_CURVE.map((least) => `at ${least}`)])
  return [formatRow(['margin', 'named', 'right', 'precision']), ...rows, head, ...curves].join('\n')
}

/** Formats recall and precision of one type, in percent, with several margins; null for a type of few pages. */
function formatTypeCurve(
  slug: string,
  predictions: readonly Prediction[],
  { margin, margins }: TypeDecision,
): string | null {
  const pages = predictions.filter(({ page }) => page.siteType === slug).length
  if (slug === NO_TYPE || pages < MIN_CURVE_PAGES) return null
  const cells = TYPE_CURVE.map((least) => {
    const named = predictions.filter(({ best, lead }) => best === slug && lead >= least)
    const right = named.filter(({ page }) => page.siteType === slug).length
    return `${Math.round((100 * right) / pages)}/${named.length === 0 ? '–' : Math.round((100 * right) / named.length)}`
  })
  return formatRow([slug, margins?.[slug] ?? margin, ...cells])
}
