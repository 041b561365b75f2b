import type { CountedBatch } from '../../batches/batch-service.ts'
import { describeBatch } from '../../batches/describe-batch.ts'
import { API_ERRORS } from '../../errors.ts'
import type { BatchInfo } from '../../service/response-schemas.ts'
import { Facts } from '../../views/facts.tsx'
import { formatCount, formatNumber } from '../../views/format-text.ts'
import { Table } from '../../views/table.tsx'
import { Button, LinkButton } from '../components/button.tsx'
import { Confirm } from '../components/confirm.tsx'
import { Card, DateTime } from '../components/content.tsx'
import { HiddenFields } from '../components/form.tsx'
import { Notice } from '../components/notice.tsx'
import { Page } from '../components/page.tsx'
import type { PageContext } from '../page.ts'
import { describeState, explainReason, formatSpan, isOpen } from './batch-state.ts'

interface BatchPageProps {
  readonly context: PageContext<'session'>
  readonly counted: CountedBatch
}

/** Seconds between two loads of the page where the person asked for it, and of the script. */
const REFRESH_SECONDS = 10

/** The progress of a batch with its failures, which the script loads again, and what can be done with the batch. */
export function BatchPage({ context, counted }: BatchPageProps) {
  const { now, parts, query } = context
  const info = describeBatch(counted, { now, batchDays: parts.settings.batchDays })
  const isRefreshing = isOpen(info) && query.has('refresh')
  return (
    <Page
      context={context}
      title={`Batch of ${formatCount(info.total, 'URL')}`}
      refreshSeconds={isRefreshing ? REFRESH_SECONDS : undefined}
    >
      <p>
        <a href="/batches">All batches</a>
      </p>
      <div id="progress" data-refresh={isOpen(info) ? '' : undefined}>
        <Progress info={info} />
        {info.counts.failed > 0 && <Failures info={info} />}
      </div>
      {isOpen(info) && <NoScriptRefresh path={context.path} isRefreshing={isRefreshing} />}
      <Results info={info} />
      {isOpen(info) && <Cancel info={info} />}
    </Page>
  )
}

/** Without JavaScript, the person decides whether the page loads itself again. */
function NoScriptRefresh({ path, isRefreshing }: { readonly path: string; readonly isRefreshing: boolean }) {
  return (
    <noscript>
      <p class="buttons">
        <LinkButton kind="secondary" href={path}>
          {isRefreshing ? 'Stop the updates' : 'Update now'}
        </LinkButton>
        {!isRefreshing && (
          <LinkButton kind="secondary" href={`${path}?refresh`}>
            Update every {REFRESH_SECONDS} seconds
          </LinkButton>
        )}
      </p>
    </noscript>
  )
}

function Progress({ info }: { readonly info: BatchInfo }) {
  const { total, counts, perMinute, secondsLeft } = info
  const finished = counts.succeeded + counts.failed
  const reason = explainReason(info)
  return (
    <Card title="Progress">
      {reason !== null && (
        <Notice kind="warning">
          <p>{reason}</p>
        </Notice>
      )}
      <p class="progress">
        <label for="done">
          {describeState(info)}: {formatNumber(finished)} of {formatCount(total, 'URL')}
        </label>
        <progress id="done" max={total} value={finished} />
      </p>
      <Facts
        facts={[
          ['With a result', formatNumber(counts.succeeded)],
          ['Failed', formatNumber(counts.failed)],
          info.status === 'cancelled'
            ? ['Not scanned', formatNumber(counts.cancelled)]
            : ['Waiting', formatNumber(counts.waiting)],
          ...(perMinute === null ? [] : [['Rate', `${formatNumber(perMinute)} a minute`] as const]),
          ...(secondsLeft === null ? [] : [['Time left', `about ${formatSpan(secondsLeft)}`] as const]),
        ]}
      />
      <p class="quiet">
        Submitted on <Time at={info.createdAt} />.
        {info.finishedAt !== null && (
          <>
            {' '}
            Ended on <Time at={info.finishedAt} />.
          </>
        )}
        {info.expiresAt !== null && (
          <>
            {' '}
            Results are deleted on <Time at={info.expiresAt} />.
          </>
        )}
      </p>
    </Card>
  )
}

/** @param at ISO 8601 */
function Time({ at }: { readonly at: string }) {
  return <DateTime at={new Date(at)} />
}

function Results({ info: { id, counts } }: { readonly info: BatchInfo }) {
  const finished = counts.succeeded + counts.failed
  return (
    <Card title="Results">
      <p>
        {isOpenCount(counts)
          ? 'Tables, charts and files contain the results that there are when you open them.'
          : `The files have ${formatCount(finished, 'line')}, in the order of completion.`}
      </p>
      <p class="buttons">
        <LinkButton href={`/batches/${id}/report`}>Charts</LinkButton>
        <LinkButton kind="secondary" href={`/batches/${id}/results`}>
          Table
        </LinkButton>
        <LinkButton kind="secondary" href={`/batches/${id}/results.csv`}>
          Download CSV
        </LinkButton>
        <LinkButton kind="secondary" href={`/batches/${id}/results.ndjson`}>
          Download NDJSON
        </LinkButton>
      </p>
    </Card>
  )
}

const isOpenCount = ({ waiting }: BatchInfo['counts']): boolean => waiting > 0

function Failures({ info }: { readonly info: BatchInfo }) {
  const codes = Object.entries(info.failures).sort(([, a], [, b]) => b - a)
  const canRetry = info.status !== 'cancelled'
  return (
    <Card title="Failures">
      <Table
        caption="Failures by code"
        hasHiddenCaption
        head={['Code', 'URLs', ...(canRetry ? ['Again'] : []), 'Meaning']}
        numeric={[1]}
        rows={codes.map(([code, count]) => [
          <code key="code">{code}</code>,
          formatNumber(count),
          ...(canRetry ? [<Retry key="retry" id={info.id} code={code} />] : []),
          Object.hasOwn(API_ERRORS, code) ? API_ERRORS[code as keyof typeof API_ERRORS][1] : '',
        ])}
      />
      {canRetry ? (
        <Retry id={info.id} />
      ) : (
        <p class="quiet">A cancelled batch cannot be scanned again. Submit its list as a new one.</p>
      )}
    </Card>
  )
}

/** Scans failures again: those with one code, or all. */
function Retry({ id, code }: { readonly id: string; readonly code?: string }) {
  return (
    <form method="post" action={`/batches/${id}/retry`}>
      {code !== undefined && <HiddenFields values={{ code }} />}
      <Button kind="secondary">
        {code === undefined ? 'Scan all failures again' : 'Scan again'}
        {code !== undefined && <span class="hidden"> those with {code}</span>}
      </Button>
    </form>
  )
}

function Cancel({ info: { id, counts } }: { readonly info: BatchInfo }) {
  return (
    <Confirm label="Cancel this batch…" action={`/batches/${id}/cancel`} button="Cancel the batch">
      <p>
        {formatCount(counts.waiting, 'URL')} will not be scanned. The results that exist stay, and a cancelled batch
        cannot go on.
      </p>
    </Confirm>
  )
}
