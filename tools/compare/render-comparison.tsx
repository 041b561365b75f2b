import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ComponentChildren } from 'preact'
import { renderToString } from 'preact-render-to-string'
import { BAR_CHART_WIDTHS, drawBarChart } from '../../src/report/bar-chart.ts'
import { ReportDocument, readReportAssets } from '../../src/report/report-document.tsx'
import { projectFolder } from '../../src/rules/built.ts'
import { Facts } from '../../src/views/facts.tsx'
import { Table } from '../../src/views/table.tsx'
import type { Agreement, DetectorSummary, PairSummary, SampledNaming, ToolComparison } from './comparison.ts'
import { Judgement } from './judgement.tsx'

const ASSETS = join(projectFolder(), 'tools', 'compare', 'assets')
const LINKS = [
  ['#names', 'Names'],
  ['#agreement', 'Agreement'],
  ['#speed', 'Speed'],
  ['#judgement', 'Judgement'],
]

/** Renders a comparison as one HTML file, which requests nothing and stores answers in the browser. */
export async function renderComparison(comparison: ToolComparison, sample: readonly SampledNaming[]): Promise<string> {
  const shared = readReportAssets()
  const read = (name: string): string => readFileSync(join(ASSETS, name), 'utf8')
  const assets = { ...shared, style: shared.style + read('comparison.css'), script: read('judgement.js') }
  const charts = await drawCharts(comparison.detectors)
  const title = `Comparison of ${comparison.detectors.length} detectors`
  const page = (
    <ReportDocument title={title} links={LINKS} assets={assets}>
      <h1>{title}</h1>
      <Summary comparison={comparison} />
      <Card id="names" title="What they name" chart={charts.names}>
        <NameTable comparison={comparison} />
      </Card>
      <Card id="agreement" title="Agreement" chart={[]}>
        <AgreementTable pairs={comparison.pairs} />
      </Card>
      <Card id="speed" title="Speed and memory" chart={charts.speed}>
        <SpeedTable detectors={comparison.detectors} />
      </Card>
      <Judgement sample={sample} comparison={comparison} />
    </ReportDocument>
  )
  return `<!doctype html>\n${renderToString(page)}\n`
}

async function drawCharts(detectors: readonly DetectorSummary[]): Promise<Record<'names' | 'speed', string[]>> {
  const draw = (id: string, title: string, read: (one: DetectorSummary) => number): Promise<string[]> => {
    const bars = detectors.map((one) => ({ label: one.name, value: read(one), text: `${read(one)}`, isRest: false }))
    const description = 'The table below has all numbers.'
    const sizes = Object.keys(BAR_CHART_WIDTHS) as (keyof typeof BAR_CHART_WIDTHS)[]
    return Promise.all(sizes.map((size) => drawBarChart({ id, size, title, description, bars })))
  }
  return {
    names: await draw('names', 'Names per page', (one) => one.namingsPerPage),
    speed: await draw('speed', 'Pages a second on one core', (one) => one.pagesPerSecond),
  }
}

function Summary({
  comparison: { measured, machine, pages, rounds, timedPages },
}: {
  readonly comparison: ToolComparison
}) {
  const facts: readonly (readonly [string, string])[] = [
    ['Pages', `${pages.count}, ${pages.labelled} with a label`],
    ['Measured', measured.slice(0, 16).replace('T', ' ')],
    ['Machine', `${machine.cpu}, ${machine.cores} cores, ${machine.memoryGiB} GiB, load ${machine.load}`],
    ['System', `${machine.system}, Node ${machine.node}`],
  ]
  return (
    <>
      <p class="lead">
        <bdi>{pages.file}</bdi>, SHA-256 of the lines <code class="hash">{pages.sha256}</code>
      </p>
      <Facts isCard facts={facts} />
      <p class="quiet">
        The detectors took turns on each page. Names and the worst page are from one round over all pages; speed is the
        median of {rounds} more rounds over {timedPages} pages,{' '}
        {machine.oneCore ? 'each detector on one core' : 'not bound to a core'}. Names are compared without case, spaces
        and punctuation, and with the list of synonyms of the project.
      </p>
    </>
  )
}

interface ChartCardProps {
  readonly id: string
  readonly title: string
  readonly chart: readonly string[]
  readonly children: ComponentChildren
}

function Card({ id, title, chart, children }: ChartCardProps) {
  return (
    <section class="card" id={id}>
      <h2>{title}</h2>
      {chart.length > 0 && (
        <figure class="bars">
          {chart.map((svg) => (
            // Made by Vega, which escapes the texts.
            <div key={svg} dangerouslySetInnerHTML={{ __html: svg }} />
          ))}
        </figure>
      )}
      {children}
    </section>
  )
}

/** Formats a share as a percentage; a dash if there is none. */
function formatPercent(share: number | null): string {
  return share === null ? '–' : `${(100 * share).toFixed(1)}%`
}

function NameTable({ comparison: { detectors } }: { readonly comparison: ToolComparison }) {
  const head = [
    'Detector',
    'Version',
    'Rules',
    'Namings',
    'Per page',
    'Distinct',
    'Alone',
    'Versions per page',
    'Failures',
  ]
  const labels = ['Right', 'Wrong', 'Missed', 'Precision', 'Recall']
  const hasLabels = detectors.some((one) => one.labels !== null)
  const rows = detectors.map(({ name, version, rules, ...one }) => [
    <bdi key="name">{name}</bdi>,
    version ?? '–',
    rules ?? '–',
    ...[one.namings, one.namingsPerPage, one.names, one.alone, one.versionsPerPage, one.failures],
    ...(one.labels === null ? [] : formatLabels(one.labels)),
  ])
  const columns = [...head, ...(hasLabels ? labels : [])]
  return (
    <>
      <Table caption="What they name" head={columns} rows={rows} numeric={range(2, columns.length)} hasHiddenCaption />
      <p class="quiet">
        Alone: namings that no other detector has.{' '}
        {hasLabels && 'Right, wrong and missed count names that some label has: '}
        {hasLabels && 'on a labelled page, another one of these names is wrong unless it goes with the label.'}
      </p>
    </>
  )
}

function formatLabels({ right, wrong, missed, precision, recall }: NonNullable<DetectorSummary['labels']>) {
  return [right, wrong, missed, formatPercent(precision), formatPercent(recall)]
}

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from }, (_, i) => from + i)
}

function AgreementTable({ pairs }: { readonly pairs: readonly PairSummary[] }) {
  if (pairs.length === 0) return <p class="quiet">There is no other detector to compare with.</p>
  const head = ['First and second', 'Names', 'Both', 'Only first', 'Only second', 'Agreement']
  const row = (label: ComponentChildren, kind: string, { both, onlyFirst, onlySecond, share }: Agreement) => [
    ...[label, kind, both, onlyFirst, onlySecond, formatPercent(share)],
  ]
  const rows = pairs.flatMap((pair) => {
    const label = (
      <bdi>
        {pair.first}, {pair.second}
      </bdi>
    )
    return [row(label, 'all', pair), row(label, `${pair.shared.names} that both have`, pair.shared)]
  })
  return (
    <>
      <Table caption="Agreement" head={head} rows={rows} numeric={range(2, head.length)} hasHiddenCaption />
      {pairs.map((pair) => (
        <details key={`${pair.first} ${pair.second}`}>
          <summary>
            What only one of {pair.first} and {pair.second} names most
          </summary>
          <DifferenceTable pair={pair} />
        </details>
      ))}
    </>
  )
}

function DifferenceTable({ pair: { first, second, topFirst, topSecond } }: { readonly pair: PairSummary }) {
  const rows = [...topFirst.map((one) => [first, ...one]), ...topSecond.map((one) => [second, ...one])]
  return (
    <Table
      caption={`Only ${first} or ${second}`}
      head={['Only', 'Name', 'Pages']}
      rows={rows}
      numeric={[2]}
      hasHiddenCaption
    />
  )
}

function SpeedTable({ detectors }: { readonly detectors: readonly DetectorSummary[] }) {
  const [{ name: base }] = detectors
  const head = [
    'Detector',
    'Pages a second',
    `Speed of ${base}`,
    'With lines',
    'Start ms',
    'Memory MiB',
    'Twice the rules',
  ]
  const columns = [...head, 'Worst page ms', 'Worst page']
  const rows = detectors.map((one) => [
    <bdi key="name">{one.name}</bdi>,
    ...[one.pagesPerSecond, one.speed, one.exchangedPerSecond, one.startMs, one.memoryMiB ?? '–'],
    one.twice === null ? '–' : `${one.twice} × the time`,
    one.worst.ms,
    <bdi key="worst">{one.worst.id}</bdi>,
  ])
  return (
    <>
      <Table
        caption="Speed and memory"
        head={columns}
        rows={rows}
        numeric={range(1, columns.length - 1)}
        hasHiddenCaption
      />
      <p class="quiet">
        With lines: including writing the page to the process and reading its response. Start: until the response to an
        empty page. Memory: the largest so far, of the process and its children. Twice the rules: each rule once more
        under another name.
      </p>
    </>
  )
}
