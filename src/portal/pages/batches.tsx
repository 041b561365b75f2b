import { MAX_LIST_BYTES } from '../../batches/parse-list.ts'
import type { Key } from '../../keys/types.ts'
import { countKeyRequest } from '../../service/rate-limit.ts'
import { getRequestState } from '../../service/request-state.ts'
import { StoreError } from '../../store/types.ts'
import { formatNumber } from '../../views/format-text.ts'
import { setError } from '../../web/error-responses.ts'
import { isUsable, listUsableKeys } from '../account-keys.ts'
import { BatchesPage, NoBatchesPage } from '../batches/batches-page.tsx'
import { listCounters } from '../batches/own-batches.ts'
import { readList } from '../batches/read-list.ts'
import { readUpload, type Upload } from '../batches/read-upload.ts'
import { type BatchFormValues, buildFormKey, NEW_FORM, readBatchForm } from '../batches/submission.ts'
import { UNUSABLE_KEY } from '../components/key-choice.tsx'
import { type FieldErrors, NO_ERRORS } from '../form-errors.ts'
import { definePage, PageError, type PageResult, Redirect, type SessionContext } from '../page.ts'
import { explainScanError } from '../scan/explain-error.ts'

/** The form, and the batches of the account. */
const BATCHES = definePage<'session'>({
  method: 'GET',
  path: '/batches',
  needs: 'session',
  handle: async (context) => await buildPage(context, { values: NEW_FORM }),
})

/** Creates a batch, and redirects to it. */
const SUBMIT_BATCH = definePage<'session'>({
  method: 'POST',
  path: '/batches',
  needs: 'session',
  isUpload: true,
  handle: async (context) => {
    const { parts, exchange } = context
    const keys = await listUsableKeys(context)
    const upload = await readUpload(exchange.request, () => describeLimit(context, keys))
    const values = readBatchForm(upload.form)
    const list = await readList(upload)
    try {
      parts.switches.check()
      parts.batches.requireRunner()
      const key = values.key === '' ? keys[0] : keys.find(({ id }) => id === values.key)
      if (key === undefined) {
        context.setStatus(409)
        return await buildPage(context, { values, errors: keys.length === 0 ? NO_ERRORS : UNUSABLE_KEY })
      }
      if ('entries' in list) return await submit(context, { key, values, upload, entries: list.entries })
      context.setStatus(422)
      return await buildPage(context, { values, errors: list.errors })
    } catch (error) {
      if (error instanceof PageError) throw error
      return await buildFailurePage(error, context, { values, source: list.source })
    }
  },
})

function describeLimit({ parts }: SessionContext, keys: readonly Key[]): string {
  const limit = Math.max(0, ...keys.map((key) => parts.batches.findLimit(key)))
  const allowed = limit === 0 ? '' : ` A batch of your plan may contain ${formatNumber(limit)} URLs.`
  return `The list is larger than ${MAX_LIST_BYTES / 1024 / 1024} MiB.${allowed} Split it, and send the parts one after the other.`
}

interface Order {
  readonly key: Key
  readonly values: BatchFormValues
  readonly upload: Upload
  readonly entries: readonly string[]
}

/** Submits a list, counted like a request of the API with this key. */
async function submit({ parts, exchange }: SessionContext, { key, values, upload, entries }: Order): Promise<Redirect> {
  const { batches, settings, shared } = parts
  const state = getRequestState(exchange.request)
  state.key = key
  await countKeyRequest(state, key, { settings, shared, lookup: {} })
  const { include, fresh } = values
  const idempotencyKey = buildFormKey(upload.form.text('form'), [entries, include, fresh])
  const batch = await batches.submit(key, { entries, include, fresh, webhook: null, idempotencyKey })
  return new Redirect(`/batches/${batch.id}`)
}

interface BatchFormProps {
  readonly values: BatchFormValues
  readonly errors?: FieldErrors
}

async function buildPage(context: SessionContext, { values, errors }: BatchFormProps): Promise<PageResult> {
  const { parts, account, now, query } = context
  const { unavailable } = parts.batches
  if (unavailable !== null) return <NoBatchesPage context={context} reason={unavailable} />
  const keys = await parts.store.keys.listAccountKeys(account.id)
  const list = await parts.batches.list(listCounters(keys), query.text('before') || undefined)
  const usable = keys.filter((key) => isUsable(key, now))
  return <BatchesPage context={context} keys={usable} list={list} values={values} errors={errors} />
}

/** Shows the form with its values and the error. */
async function buildFailurePage(
  error: unknown,
  context: SessionContext,
  { values, source }: { readonly values: BatchFormValues; readonly source: string },
): Promise<PageResult> {
  const failure = setError(error, context.exchange.request, context.exchange.reply)
  const { url, ...others } = explainScanError(failure, context.now)
  const errors = url === undefined ? others : { [source]: url }
  try {
    return await buildPage(context, { values, errors })
  } catch (cause) {
    if (!(cause instanceof StoreError)) throw cause
    return <BatchesPage context={context} keys={null} list={null} values={values} errors={errors} />
  }
}

export const BATCHES_PAGES = [BATCHES, SUBMIT_BATCH]
