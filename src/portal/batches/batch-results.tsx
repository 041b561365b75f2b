import { formatResults } from '../../batches/format-results.ts'
import { NumberFacts } from '../../report/number-facts.tsx'
import { LineParser } from '../../report/parse-line.ts'
import { SectionCard } from '../../report/section-card.tsx'
import { SiteTable } from '../../report/site-table.tsx'
import type { Batch, BatchPart } from '../../store/batch-types.ts'
import { formatCount } from '../../views/format-text.ts'
import { LinkButton } from '../components/button.tsx'
import { Card } from '../components/content.tsx'
import { Page } from '../components/page.tsx'
import type { PageContext } from '../page.ts'
import { type BatchReport, buildReportLabels } from './batch-report.ts'
import { isOpen } from './batch-state.ts'

interface BatchProps {
  readonly context: PageContext<'session'>
  readonly batch: Batch
}

function BatchLinks({
  batch,
  other,
}: {
  readonly batch: Batch
  readonly other: readonly [path: string, label: string]
}) {
  const [path, label] = other
  return (
    <p>
      <a href="/batches">All batches</a> {'› '}
      <a href={`/batches/${batch.id}`}>Batch of {formatCount(batch.total, 'URL')}</a> {'· '}
      <a href={`/batches/${batch.id}/${path}`}>{label}</a>
    </p>
  )
}

/** The charts of a batch, as `report` has them. */
export function BatchReportPage({
  context,
  batch,
  report: { numbers, charts },
}: BatchProps & { readonly report: BatchReport }) {
  const labels = buildReportLabels(context.parts.rules.current)
  return (
    <Page context={context} title="Charts of a batch" hasReport>
      <BatchLinks batch={batch} other={['results', 'Table']} />
      {isOpen(batch) && <p class="quiet">The batch has not ended. The numbers may be 30 seconds old.</p>}
      <NumberFacts numbers={numbers} />
      <div class="report">
        {numbers.sections.map((section) => (
          <SectionCard key={section.id} section={section} charts={charts} labels={labels} />
        ))}
      </div>
    </Page>
  )
}

/** A part of the results as a table, in the order of completion. */
export function BatchTablePage({
  context,
  batch,
  part: { lines, cursor, hasMore },
}: BatchProps & { readonly part: BatchPart }) {
  const labels = buildReportLabels(context.parts.rules.current)
  const parser = new LineParser(labels.aiNative)
  const sites = lines.map((line) => parser.parse(formatResults([line], { format: 'ndjson', hasHeader: false })).site)
  return (
    <Page context={context} title="Results of a batch" hasReport>
      <BatchLinks batch={batch} other={['report', 'Charts']} />
      {sites.length === 0 ? (
        <p>
          {isOpen(batch) ? 'There are no more results yet. Load the page again later.' : 'There are no more results.'}
        </p>
      ) : (
        <div id="sites">
          <Card>
            <SiteTable sites={sites} labels={labels} />
          </Card>
        </div>
      )}
      <p class="buttons">
        {context.query.has('cursor') && (
          <LinkButton kind="secondary" href={`/batches/${batch.id}/results`}>
            First results
          </LinkButton>
        )}
        {hasMore && (
          <LinkButton kind="secondary" href={`/batches/${batch.id}/results?cursor=${cursor}`}>
            Next results
          </LinkButton>
        )}
      </p>
    </Page>
  )
}
