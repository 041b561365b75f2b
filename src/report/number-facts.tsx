import { Facts } from '../views/facts.tsx'
import { formatNumber } from '../views/format-text.ts'
import type { ReportNumbers } from './count-sites.ts'
import { formatShare } from './section-card.tsx'

/** The numbers of all sites. */
export function NumberFacts({ numbers }: { readonly numbers: ReportNumbers }) {
  const { sites, failed, notSite, withBuilder, aiNative } = numbers
  const scanned = sites - failed
  const own = scanned - notSite
  const facts: readonly (readonly [string, number, number | null])[] = [
    ['Sites', sites, null],
    ['With a result', scanned, sites],
    ['Failed', failed, sites],
    ...(notSite === 0 ? [] : [['Not the site', notSite, scanned] as const]),
    ['Builder found', withBuilder, own],
    ['AI-native builder', aiNative, own],
  ]
  return (
    <Facts
      isCard
      facts={facts.map(([name, value, total]) => [
        name,
        <>
          {formatNumber(value)} {total !== null && <span class="share">{formatShare(value, total)}</span>}
        </>,
      ])}
    />
  )
}
