import type { ComponentChildren } from 'preact'
import { describeTlsError } from '../fetch/tls-error.ts'
import { formatNumber } from '../views/format-text.ts'
import { CHANGE_KINDS, type Change, describeChange, type SiteChanges, type SitesComparison } from './compare-sites.ts'
import { nameSiteType, type ReportLabels, type ReportSite } from './site.ts'

interface SortableTableProps {
  /** Prefix of ids; unique in the page. */
  readonly id: string
  readonly caption: string
  /** Noun for the rows, such as "sites", in the label of the search field. */
  readonly noun: string
  readonly head: readonly string[]
  readonly children: ComponentChildren
}

/**
 * A table that the script makes searchable and sortable, and splits into pages. Without the script it shows all rows.
 */
function SortableTable({ id, caption, noun, head, children }: SortableTableProps) {
  return (
    <div class="sites" data-sortable>
      <div class="tools" hidden>
        <div class="field">
          <label for={`${id}-search`}>Search {noun}</label>
          <input id={`${id}-search`} type="search" autocomplete="off" spellcheck={false} />
        </div>
        <p class="quiet" role="status" />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable with the keyboard */}
      <section class="table" aria-label={caption} tabIndex={0}>
        <table>
          <caption class="hidden">{caption}</caption>
          <thead>
            <tr>
              {head.map((title) => (
                <th key={title} scope="col">
                  {title}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>{children}</tbody>
        </table>
      </section>
      <div class="pager" hidden>
        <button type="button" class="button secondary">
          Previous<span class="hidden"> {noun}</span>
        </button>
        <button type="button" class="button secondary">
          Next<span class="hidden"> {noun}</span>
        </button>
      </div>
    </div>
  )
}

/** A name of a site, which links to it. A narrow column breaks it after the scheme. The name is that of the list, and may differ from the address. */
function SiteName({ site: { name, link } }: { readonly site: ReportSite }) {
  const [, scheme, rest] = /^(https?:\/\/)?(.*)$/s.exec(name) ?? []
  const text = (
    <bdi>
      {scheme}
      {scheme !== undefined && <wbr />}
      {rest}
    </bdi>
  )
  if (link === null) return text
  return (
    <a href={link} rel="noreferrer noopener external">
      {text}
    </a>
  )
}

/** Values by which the script sorts levels. */
const LEVEL_ORDER = { high: 1, medium: 2, low: 3 } as const

/** The sites with everything that was found, and what came back instead of a site. The last cell of a site that failed says why. */
export function SiteTable({ sites, labels }: { readonly sites: readonly ReportSite[]; readonly labels: ReportLabels }) {
  const head = ['Site', 'Builder', 'Confidence', 'Hosting', 'Site type', 'Problem', 'Technologies or reason']
  return (
    <SortableTable id="sites" caption="Sites" noun="sites" head={head}>
      {sites.map((site, row) => (
        <SiteRow key={row} site={site} labels={labels} />
      ))}
    </SortableTable>
  )
}

function SiteRow({ site, labels }: { readonly site: ReportSite; readonly labels: ReportLabels }) {
  const {
    builder,
    confidence,
    hosting,
    network,
    reverseDns,
    tlsError,
    siteType,
    technologies,
    parts,
    versions,
    failure,
    state,
  } = site
  const named = technologies.map((name) => (versions.has(name) ? `${name} ${versions.get(name)}` : name))
  return (
    <tr>
      <th scope="row">
        <SiteName site={site} />
      </th>
      <td data-sort={builder ?? ''}>
        {builder}
        {parts.map(({ url, builder }) => (
          <div key={url} class="quiet">
            <bdi>{url}</bdi>: {builder ?? 'not known'}
          </div>
        ))}
      </td>
      <td data-sort={confidence === null ? undefined : LEVEL_ORDER[confidence]}>{confidence}</td>
      <td data-sort={hosting ?? ''}>
        {hosting}
        {[network, reverseDns, tlsError && describeTlsError(tlsError)].map(
          (text, at) =>
            text !== null && (
              <div key={at} class="quiet">
                {text}
              </div>
            ),
        )}
      </td>
      <td>{siteType === null ? null : nameSiteType(siteType, labels)}</td>
      <td>{failure === null ? state : <code>{failure.code}</code>}</td>
      <td>{failure === null ? named.join(', ') : failure.sentence}</td>
    </tr>
  )
}

/** The number of sites for each kind of change that occurs. */
export function ChangeCounts({ comparison: { counts, unchanged } }: { readonly comparison: SitesComparison }) {
  const kinds = (Object.keys(CHANGE_KINDS) as Change['kind'][]).filter((kind) => counts.has(kind))
  return (
    <dl class="facts">
      {kinds.map((kind) => (
        <div key={kind}>
          <dt>{CHANGE_KINDS[kind]}</dt>
          <dd>{formatNumber(counts.get(kind) ?? 0)}</dd>
        </div>
      ))}
      <div>
        <dt>Unchanged</dt>
        <dd>{formatNumber(unchanged)}</dd>
      </div>
    </dl>
  )
}

interface ChangeTableProps {
  readonly sites: readonly SiteChanges[]
  readonly labels: ReportLabels
}

/** The changes of each site. */
export function ChangeTable({ sites, labels }: ChangeTableProps) {
  return (
    <SortableTable id="changes" caption="Changed sites" noun="changes" head={['Site', 'Changes']}>
      {sites.map(({ site, changes }, row) => (
        <tr key={row}>
          <th scope="row">
            <SiteName site={site} />
          </th>
          <td>
            <ul class="changes">
              {changes.map((change) => (
                <li key={change.kind}>{describeChange(change, (siteType) => nameSiteType(siteType, labels))}</li>
              ))}
            </ul>
          </td>
        </tr>
      ))}
    </SortableTable>
  )
}
