import { nanoid } from 'nanoid'
import type { BatchListPage } from '../../batches/batch-service.ts'
import { MAX_LIST_BYTES } from '../../batches/parse-list.ts'
import type { Key } from '../../keys/types.ts'
import { formatCount, formatNumber } from '../../views/format-text.ts'
import { Table } from '../../views/table.tsx'
import { Button, LinkButton } from '../components/button.tsx'
import { Card, DateTime } from '../components/content.tsx'
import { Checkbox, Field, FileField, TextArea } from '../components/field.tsx'
import { Form, HiddenFields } from '../components/form.tsx'
import { KeyChoice, NoKey, nameKey } from '../components/key-choice.tsx'
import { Notice } from '../components/notice.tsx'
import { Page } from '../components/page.tsx'
import type { FieldErrors } from '../form-errors.ts'
import type { PageContext } from '../page.ts'
import { describeState } from './batch-state.ts'
import { type BatchFormValues, EXTRA_LABELS } from './submission.ts'

const MAX_MEBIBYTES = MAX_LIST_BYTES / 1024 / 1024

interface BatchesPageProps {
  readonly context: PageContext<'session'>
  /** The keys that can be charged; null if the store cannot list them. */
  readonly keys: readonly Key[] | null
  /** Null if the store cannot list them. */
  readonly list: BatchListPage | null
  readonly values: BatchFormValues
  readonly errors?: FieldErrors | undefined
}

/** The form for a list, and the batches of the account. */
export function BatchesPage({ context, keys, list, values, errors }: BatchesPageProps) {
  return (
    <Page context={context} title="Batches">
      <p class="lead">A batch is a list of websites that the service scans in the background.</p>
      {keys?.length === 0 ? <NoKey /> : <SubmitCard context={context} keys={keys} values={values} errors={errors} />}
      <BatchList list={list} />
    </Page>
  )
}

/** The page of a service that cannot run batches. @param reason which setting is missing */
export function NoBatchesPage({
  context,
  reason,
}: {
  readonly context: PageContext<'session'>
  readonly reason: string
}) {
  return (
    <Page context={context} title="Batches">
      <Notice kind="warning" title="Batches are not available on this service">
        <p>
          Batches need both a Redis server, which contains their queue, and a MongoDB server, which contains their
          results, or neither of them. Here, {reason}. The operator of the service can change that.
        </p>
        <p>
          Single websites can be scanned on the page <a href="/scan">Scan</a>.
        </p>
      </Notice>
    </Page>
  )
}

type SubmitProps = Pick<BatchesPageProps, 'context' | 'keys' | 'values' | 'errors'>

function SubmitCard({ context, keys, values, errors }: SubmitProps) {
  const { batches } = context.parts
  const limits = [...new Set((keys ?? []).map((key) => batches.findLimit(key)))].sort((a, b) => a - b)
  const limit = limits.map(formatNumber).join(' or ')
  return (
    <Card title="New batch">
      <Form action="/batches" errors={errors} isUpload>
        <HiddenFields values={{ form: nanoid() }} />
        <div class="columns">
          <div>
            <FileField
              name="file"
              label="File"
              accept=".txt,.csv,.tsv,.ndjson,.jsonl,text/plain,text/csv"
              hint={`Text with one URL or domain per line, CSV with a header, or NDJSON; at most ${MAX_MEBIBYTES} MiB.`}
              errors={errors}
            />
            <Field
              name="column"
              label="Column with the URLs"
              hint="Only for CSV. Without a name, it is the column url, website or domain."
              value={values.column}
              maxLength={200}
              errors={errors}
            />
          </div>
          <TextArea
            name="urls"
            label="Or paste the list"
            rows={7}
            placeholder={'https://example.org\nexample.com'}
            value={values.urls}
            errors={errors}
          />
        </div>
        <KeyChoice keys={keys} value={values.key} errors={errors} />
        <details>
          <summary>What the results contain</summary>
          <p class="hint">Every result has the ten fields of a scan. CSV files contain these fields only.</p>
          {EXTRA_LABELS.map(([extra, label]) => (
            <Checkbox key={extra} name={`include-${extra}`} label={label} isChecked={values.include.includes(extra)} />
          ))}
          <Checkbox
            name="fresh"
            label="Scan again, even if there is a result of the last hour"
            isChecked={values.fresh}
          />
        </details>
        <div class="submit">
          <Button>Start the batch</Button>
          <p class="hint">
            {limit !== '' && `A batch may contain ${limit} URLs. `}Each result counts like one API request
            {keys?.length === 1 && ` with the key ${nameKey(keys[0])}`}; URLs that fail are not charged.
          </p>
        </div>
      </Form>
    </Card>
  )
}

function BatchList({ list }: { readonly list: BatchListPage | null }) {
  if (list === null) return <p class="quiet">Your batches cannot be shown at the moment.</p>
  const { batches, next } = list
  if (batches.length === 0) return null
  return (
    <Card title="Your batches">
      <Table
        caption="Your batches"
        hasHiddenCaption
        head={['Submitted', 'URLs', 'State', 'Ended']}
        numeric={[1]}
        rows={batches.map((batch) => [
          <a key="id" href={`/batches/${batch.id}`}>
            <DateTime at={batch.createdAt} />
            <span class="hidden">, {formatCount(batch.total, 'URL')}</span>
          </a>,
          formatNumber(batch.total),
          describeState(batch),
          batch.finishedAt === null ? '' : <DateTime key="ended" at={batch.finishedAt} />,
        ])}
      />
      {next !== null && (
        <p class="buttons">
          <LinkButton kind="secondary" href={`/batches?before=${next}`}>
            Older batches
          </LinkButton>
        </p>
      )}
    </Card>
  )
}
