import type { PageState } from '../../engine/rule/types.ts'
import { makeVisible, parseLink } from '../../engine/text/visible-text.ts'
import { explainAnswer } from '../../engine/verdict/response.ts'
import { describeTlsError } from '../../fetch/tls-error.ts'
import { formatNetwork } from '../../networks/format-network.ts'
import type { StoredScan } from '../../store/account-types.ts'
import { Facts } from '../../views/facts.tsx'
import { Table } from '../../views/table.tsx'
import { LinkButton } from '../components/button.tsx'
import { Card, DateTime } from '../components/content.tsx'
import { Notice } from '../components/notice.tsx'
import { Page } from '../components/page.tsx'
import type { PageContext } from '../page.ts'
import { ApiAnswer } from './api-answer.tsx'
import { EvidenceList } from './evidence.tsx'
import { groupTechnologies, nameCategory, nameSiteType, readReport, type ScanReport } from './report.ts'
import { SiteText } from './site-text.tsx'

interface ResultProps {
  readonly context: PageContext<'session'>
  readonly scan: StoredScan
  /** False if the result is shown only now, because it could not be stored. */
  readonly isStored?: boolean
}

/** What a scan has found, in the order of interest. */
export function ScanResultPage({ context, scan, isStored = true }: ResultProps) {
  const report = readReport(scan.entry)
  const { labels } = context.parts.rules.current
  return (
    <Page context={context} title={`Scan of ${makeVisible(findHost(scan.url), 60)}`} hasOwnHeading>
      {!isStored && (
        <Notice kind="warning" title="This result could not be stored">
          <p>It is shown only now. Copy what you need before you leave this page.</p>
        </Notice>
      )}
      <Headline report={report} scan={scan} />
      <OtherAnswer report={report} />
      <Summary context={context} report={report} />
      <Parts context={context} report={report} />
      <Technologies groups={groupTechnologies(report, labels)} />
      <EvidenceList report={report} labels={labels} />
      <Warnings warnings={listLimits(report)} />
      <div class="columns">
        <Infrastructure report={report} />
        <Timings report={report} />
      </div>
      <ApiAnswer context={context} scan={scan} />
    </Page>
  )
}

/** What a person can do about a page that is not the site, or what it means. */
const ADVICE: Readonly<Record<Exclude<PageState, 'site'>, string>> = {
  wall: 'Open the site in a browser to see whether it refuses everybody. Its owner can permit this service.',
  login: 'Only a page that strangers can read can be scanned.',
  missing: 'Check the address: scan the front page of the site.',
  error: 'Scan the site again later.',
  maintenance: 'Scan the site again later.',
  suspended: 'Its owner has to ask the hosting provider.',
  'default-page': 'The site may be at another address, such as the one with or without www.',
  parked: 'Nothing but a notice or advertisements is at this address.',
  empty: 'Scan another page of the site.',
}

/** Says that something else than the site came back, and what can be done about it. */
function OtherAnswer({ report: { extras } }: { readonly report: ScanReport }) {
  const [sentence] = explainAnswer(extras.page)
  if (sentence === undefined) return null
  return (
    <Notice kind="warning" title="This is not the site">
      <p>
        {`${sentence[0].toUpperCase()}${sentence.slice(1)}, so little can be said about the site.`}{' '}
        {extras.page.state !== 'site' && ADVICE[extras.page.state]}
      </p>
    </Notice>
  )
}

function findHost(url: string): string {
  return URL.canParse(url) ? new URL(url).host : url
}

const CONFIDENCE = {
  high: ['High confidence', 'The page has a mark that only this builder leaves, or several that support each other.'],
  medium: ['Medium confidence', 'The page has marks of this builder that could also have another cause.'],
  low: ['Low confidence', 'The page has only a hint of this builder, or marks that contradict each other.'],
} as const

/** Without a builder: what the title and the sentence below it say. */
const NO_BUILDER = {
  site: ['No builder was recognized', 'The page has no mark of a builder that the rules know. It may be made by hand.'],
  other: ['The site was not seen', 'Something else came back, which has no mark of the builder of the site.'],
} as const

function Headline({ report, scan }: { readonly report: ScanReport; readonly scan: StoredScan }) {
  const { result, extras } = report
  const [nothing, reason] = NO_BUILDER[extras.page.state === 'site' ? 'site' : 'other']
  const confidence = result.confidence === null ? null : CONFIDENCE[result.confidence]
  return (
    <header class="result">
      <p class="scanned">
        <SiteLink url={result.url ?? scan.url} />
      </p>
      <h1>{result.builder === null ? nothing : `Made with ${result.builder}`}</h1>
      {confidence === null ? (
        <p class="lead">{reason}</p>
      ) : (
        <p class="lead">
          <span class={`level ${result.confidence}`}>{confidence[0]}</span> {confidence[1]}
        </p>
      )}
      <p class="quiet">
        Scanned <DateTime at={new Date(scan.entry.at)} />.
        {scan.entry.at < scan.at.getTime() && ' The result was already in the cache.'}
      </p>
      <p class="buttons">
        <LinkButton kind="secondary" href={buildAgainPath(scan, extras.parts.length)}>
          Scan again
        </LinkButton>
        <LinkButton kind="secondary" href="/scan">
          Scan another page
        </LinkButton>
      </p>
    </header>
  )
}

/** The form with this URL. Opening a link must not cost a request, so the person sends the form. */
function buildAgainPath({ url, entry }: StoredScan, pages: number): string {
  return `/scan?url=${encodeURIComponent(url)}&fresh=on${pages > 1 ? `&pages=${pages}` : ''}${entry.isRendered ? '&render=on' : ''}`
}

/** The scanned URL as a link, if it is the URL of a website. */
function SiteLink({ url }: { readonly url: string }) {
  const href = parseLink(url)
  if (href === null) return <SiteText text={url} />
  return (
    <a href={href} rel="noopener noreferrer nofollow" class="site-text">
      <bdi>{makeVisible(url)}</bdi>
    </a>
  )
}

function Summary({ context, report }: Pick<ResultProps, 'context'> & { readonly report: ScanReport }) {
  const { labels } = context.parts.rules.current
  const { builder, category, isAiNative, siteType, hosting } = report.result
  const { cdn } = report.extras.infrastructure
  const hidden = cdn === null ? 'Not recognized' : `Not visible behind ${makeVisible(cdn, 60)}`
  const facts = [
    ...(category === null ? [] : [['Kind of builder', nameCategory(category, labels)] as const]),
    ...(builder === null
      ? []
      : [['AI-native builder', isAiNative === true ? 'Yes, it generates sites' : 'No'] as const]),
    ['Type of site', siteType === null ? 'Not recognized' : nameSiteType(siteType, labels)] as const,
    ['Hosting', hosting ?? hidden] as const,
  ]
  return (
    <Card>
      <Facts facts={facts} />
    </Card>
  )
}

/** The pages that were read, if several were asked for. */
function Parts({ context, report }: Pick<ResultProps, 'context'> & { readonly report: ScanReport }) {
  const { parts } = report.extras
  const { labels } = context.parts.rules.current
  if (parts.length === 0) return null
  const rows = parts.map(({ url, builder, confidence, siteType }) => [
    <SiteLink key="url" url={url} />,
    builder === null ? 'Not recognized' : `${builder} (${confidence} confidence)`,
    siteType === null ? 'Not recognized' : nameSiteType(siteType, labels),
  ])
  return (
    <Card title="Pages of the site">
      <Table caption="Pages of the site" head={['Page', 'Builder', 'Type']} rows={rows} hasHiddenCaption />
      <p class="hint">Technologies are those of all pages. Everything else is that of the first one.</p>
    </Card>
  )
}

function Technologies({ groups }: { readonly groups: ReturnType<typeof groupTechnologies> }) {
  return (
    <Card title="Technologies">
      {groups.length === 0 && <p class="quiet">None was recognized.</p>}
      <dl class="groups">
        {groups.map(({ title, technologies }) => (
          <div key={title}>
            <dt>{title}</dt>
            {technologies.map(({ name, version, ended }) => (
              <dd key={name}>
                {name}
                {version !== null && (
                  <>
                    {' '}
                    <SiteText text={version} maxCharacters={64} kind="version" />
                  </>
                )}
                {ended !== null && <span class="quiet"> {ended}</span>}
              </dd>
            ))}
          </div>
        ))}
      </dl>
    </Card>
  )
}

function Infrastructure({ report: { extras } }: { readonly report: ScanReport }) {
  const { cdn, server, ip, network, reverseDns, dns, tlsIssuer, tlsError } = extras.infrastructure
  const all: readonly (readonly [string, string | null])[] = [
    ['CDN', cdn],
    ['Server', server],
    ['IP address', ip],
    ['Network', network && formatNetwork(network)],
    ['Name of the address', reverseDns],
    ['DNS', dns.length === 0 ? null : dns.join(', ')],
    ['Certificate from', tlsIssuer],
    ['Certificate', tlsError && describeTlsError(tlsError)],
  ]
  const known = all.flatMap(([name, text]) => (text === null ? [] : [[name, <SiteText text={text} />] as const]))
  if (known.length === 0) return null
  return (
    <Card title="Infrastructure">
      <Facts facts={known} />
      {network === null ? null : (
        <p class="hint">
          Networks:{' '}
          <a href="https://db-ip.com" rel="noopener noreferrer">
            IP Geolocation by DB-IP
          </a>{' '}
          and{' '}
          <a href="https://www.routeviews.org" rel="noopener noreferrer">
            RouteViews
          </a>
        </p>
      )}
    </Card>
  )
}

/** The warnings, without the sentence that is in the notice above. */
function listLimits({ extras }: ScanReport): readonly string[] {
  const shown = explainAnswer(extras.page)
  return extras.warnings.filter((warning) => !shown.includes(warning))
}

function Warnings({ warnings }: { readonly warnings: readonly string[] }) {
  if (warnings.length === 0) return null
  return (
    <Card title="Limits of this scan">
      <p>Some of the page was cut off or not looked at:</p>
      <ul>
        {warnings.map((warning) => (
          <li key={warning}>
            <SiteText text={warning} maxCharacters={500} />
          </li>
        ))}
      </ul>
    </Card>
  )
}

function Timings({ report: { extras } }: { readonly report: ScanReport }) {
  const { fetch, evidence, bodies, match, total } = extras.timing
  return (
    <Card title="Time">
      <Facts
        facts={[
          ['Page', formatMs(fetch)],
          ['DNS and files', formatMs(evidence)],
          ['Scripts and style sheets', formatMs(bodies)],
          ['Analysis', formatMs(match)],
          ['Total', formatMs(total)],
        ]}
      />
    </Card>
  )
}

function formatMs(ms: number): string {
  return ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`
}
