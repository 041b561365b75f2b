import { renderToString } from 'preact-render-to-string'
import { formatCount, formatNumber } from '../views/format-text.ts'
import { NumberFacts } from './number-facts.tsx'
import type { ReportData, ReportSource } from './report-data.ts'
import { type ReportAssets, ReportDocument, readReportAssets } from './report-document.tsx'
import { type Charts, drawCharts, SectionCard } from './section-card.tsx'
import { ChangeCounts, ChangeTable, SiteTable } from './site-table.tsx'

/** Renders a report as one HTML file. Its policy allows only its own script and style, so that it can request nothing. */
export async function renderReport(data: ReportData): Promise<string> {
  const assets = readReportAssets()
  const charts = await drawCharts(data.numbers.sections)
  return `<!doctype html>\n${renderToString(<ReportPage data={data} charts={charts} assets={assets} />)}\n`
}

interface ReportPageProps {
  readonly data: ReportData
  readonly charts: Charts
  readonly assets: ReportAssets
}

function ReportPage({ data, charts, assets }: ReportPageProps) {
  const title = `Report on ${formatCount(data.numbers.sites, 'site')}`
  return (
    <ReportDocument title={title} links={listLinks(data)} assets={assets}>
      <h1>{title}</h1>
      <Summary data={data} />
      <Changes data={data} />
      <div class="report">
        {data.numbers.sections.map((section) => (
          <SectionCard key={section.id} section={section} charts={charts} labels={data.labels} />
        ))}
      </div>
      <Sites data={data} />
    </ReportDocument>
  )
}

function listLinks({ comparison, numbers }: ReportData): readonly (readonly string[])[] {
  return [
    ...(comparison === null ? [] : [['#changes', 'Changes']]),
    ...(numbers.sections.length === 0 ? [] : [[`#${numbers.sections[0].id}`, 'Charts']]),
    ['#sites', 'Sites'],
  ]
}

function describeSource({ files, scanned }: ReportSource): string {
  const [from, to] = [scanned?.from.slice(0, 10), scanned?.to.slice(0, 10)]
  const time = from === undefined ? '' : from === to ? `, scanned on ${from}` : `, scanned from ${from} to ${to}`
  return files.join(', ') + time
}

function Summary({ data: { source, numbers, comparison, notes } }: { readonly data: ReportData }) {
  return (
    <>
      <p class="lead">
        <bdi>{describeSource(source)}</bdi>
        {comparison !== null && (
          <>
            , compared with <bdi>{describeSource(comparison.earlier)}</bdi>
          </>
        )}
      </p>
      <NumberFacts numbers={numbers} />
      {notes.length > 0 && (
        <div class="notice warning">
          <ul>
            {notes.map((note) => (
              <li key={note}>{note}</li>
            ))}
          </ul>
        </div>
      )}
    </>
  )
}

function Changes({ data: { comparison, labels, maxRows } }: { readonly data: ReportData }) {
  if (comparison === null) return null
  const { sites } = comparison
  return (
    <section class="card" id="changes">
      <h2>Changes</h2>
      <ChangeCounts comparison={comparison} />
      <Limit shown={Math.min(maxRows, sites.length)} all={sites.length} noun="changed site" />
      {sites.length > 0 && <ChangeTable sites={sites.slice(0, maxRows)} labels={labels} />}
    </section>
  )
}

function Sites({ data: { sites, labels, maxRows } }: { readonly data: ReportData }) {
  return (
    <section class="card" id="sites">
      <h2>Sites</h2>
      <Limit shown={Math.min(maxRows, sites.length)} all={sites.length} noun="site" />
      <SiteTable sites={sites.slice(0, maxRows)} labels={labels} />
    </section>
  )
}

/** Shows that a table is not complete. */
function Limit({ shown, all, noun }: { readonly shown: number; readonly all: number; readonly noun: string }) {
  if (shown === all) return null
  return (
    <p class="quiet">
      The table lists the first {formatNumber(shown)} of {formatCount(all, noun)}. The option --rows changes this
      number; the charts and numbers count all of them.
    </p>
  )
}
