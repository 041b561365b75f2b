import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { renderToString } from 'preact-render-to-string'
import { formatCount, formatNumber } from '../portal/format-text.ts'
import { NumberFacts } from './number-facts.tsx'
import type { ReportData, ReportSource } from './report-data.ts'
import { type Charts, drawCharts, SectionCard } from './section-card.tsx'
import { ChangeCounts, ChangeTable, SiteTable } from './site-table.tsx'

const PORTAL_ASSETS = join(import.meta.dirname, '..', 'portal', 'assets')
const OWN_ASSETS = join(import.meta.dirname, 'assets')

/** The file contains everything that it needs: the style sheet of the portal, more styles, a script and the icon. */
function readAssets(): Readonly<Record<'style' | 'script' | 'icon', string>> {
  const style =
    readFileSync(join(PORTAL_ASSETS, 'style.css'), 'utf8') + readFileSync(join(OWN_ASSETS, 'report.css'), 'utf8')
  const icon = readFileSync(join(PORTAL_ASSETS, 'icon.svg'), 'utf8').replace(
    '<svg ',
    '<svg width="28" height="28" aria-hidden="true" ',
  )
  return {
    style,
    script: readFileSync(join(OWN_ASSETS, 'report.js'), 'utf8'),
    icon: icon.replace(/<title>.*?<\/title>/, ''),
  }
}

/** Renders a report as one HTML file. Its policy allows only its own script and style, so that it can request nothing. */
export async function renderReport(data: ReportData): Promise<string> {
  const assets = readAssets()
  const charts = await drawCharts(data.numbers.sections)
  return `<!doctype html>\n${renderToString(<ReportPage data={data} charts={charts} assets={assets} />)}\n`
}

function hash(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`
}

interface ReportPageProps {
  readonly data: ReportData
  readonly charts: Charts
  readonly assets: ReturnType<typeof readAssets>
}

function ReportPage({ data, charts, assets: { style, script, icon } }: ReportPageProps) {
  const own = `style-src ${hash(style)}; script-src ${hash(script)}`
  const policy = `default-src 'none'; ${own}; base-uri 'none'; form-action 'none'`
  const title = `Report on ${formatCount(data.numbers.sites, 'site')}`
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta http-equiv="content-security-policy" content={policy} />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="referrer" content="no-referrer" />
        <title>{`${title} · Siteprint`}</title>
        <style dangerouslySetInnerHTML={{ __html: style }} />
      </head>
      <body>
        <a class="skip" href="#content">
          Skip to content
        </a>
        <Header icon={icon} data={data} />
        <main id="content" class="wide">
          <h1>{title}</h1>
          <Summary data={data} />
          <Changes data={data} />
          <div class="report">
            {data.numbers.sections.map((section) => (
              <SectionCard key={section.id} section={section} charts={charts} labels={data.labels} />
            ))}
          </div>
          <Sites data={data} />
        </main>
        <script dangerouslySetInnerHTML={{ __html: script }} />
      </body>
    </html>
  )
}

function Header({ icon, data: { comparison, numbers } }: { readonly icon: string; readonly data: ReportData }) {
  const links = [
    ...(comparison === null ? [] : [['#changes', 'Changes']]),
    ...(numbers.sections.length === 0 ? [] : [[`#${numbers.sections[0].id}`, 'Charts']]),
    ['#sites', 'Sites'],
  ]
  return (
    <header class="top">
      <div class="bar">
        <span class="brand">
          <span dangerouslySetInnerHTML={{ __html: icon }} />
          Siteprint
        </span>
        <nav aria-label="Main">
          <ul>
            {links.map(([path, label]) => (
              <li key={path}>
                <a href={path}>{label}</a>
              </li>
            ))}
          </ul>
        </nav>
      </div>
    </header>
  )
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
