import { StoreError } from '../../store/types.ts'
import { setError } from '../../web/error-responses.ts'
import { listUsableKeys } from '../account-keys.ts'
import { UNUSABLE_KEY } from '../components/key-choice.tsx'
import { type FieldErrors, NO_ERRORS } from '../form-errors.ts'
import { countForm } from '../form-limit.ts'
import { definePage, PageError, type PageResult, Redirect, type SessionContext } from '../page.ts'
import { explainScanError } from '../scan/explain-error.ts'
import { readScanForm, type ScanFormValues } from '../scan/form-values.ts'
import { ScanPage } from '../scan/scan-page.tsx'
import { ScanResultPage } from '../scan/scan-result.tsx'
import { completeUrl, submitScan } from '../scan/submit-scan.ts'

/** The form, and the recent scans of the account. */
const SCAN = definePage<'session'>({
  method: 'GET',
  path: '/scan',
  needs: 'session',
  handle: async (context) => await buildScanPage(context, { values: readScanForm(context.query) }),
})

/** Scans, and redirects to the result. */
const SUBMIT_SCAN = definePage<'session'>({
  method: 'POST',
  path: '/scan',
  needs: 'session',
  limit: 'own', // That of the key, which plans can set higher than that of forms.
  handle: async (context) => {
    const values = readScanForm(context.form)
    try {
      return await scan(context, values)
    } catch (error) {
      if (error instanceof PageError) throw error
      return await buildFailurePage(error, context, values)
    }
  },
})

/** The result of a scan of this account. */
const SCAN_RESULT = definePage<'session'>({
  method: 'GET',
  path: '/scan/:id',
  needs: 'session',
  handle: async (context) => {
    const found = await context.parts.store.accounts.getScan(context.account.id, context.params.id)
    if (found === null) throw new PageError(404, 'This account has no such scan. Only its last 20 scans are stored.')
    return <ScanResultPage context={context} scan={found} />
  },
})

async function scan(context: SessionContext, values: ScanFormValues): Promise<PageResult> {
  const { parts, account, exchange } = context
  parts.switches.check()
  const keys = await listUsableKeys(context)
  const key = values.key === '' ? keys[0] : keys.find(({ id }) => id === values.key)
  if (key === undefined) {
    await countForm(context) // No key counts this form.
    context.setStatus(409)
    return await buildScanPage(context, { values, errors: keys.length === 0 ? NO_ERRORS : UNUSABLE_KEY })
  }
  const { url, fresh, pages, render } = values
  const done = await submitScan(
    { request: exchange.request, account: account.id, key, url: completeUrl(url), fresh, pages, render },
    parts,
  )
  if (done === null) return null
  if (done.isStored) return new Redirect(`/scan/${done.scan.id}`)
  return <ScanResultPage context={context} scan={done.scan} isStored={false} />
}

interface ScanPageValues {
  readonly values: ScanFormValues
  readonly errors?: FieldErrors
}

async function buildScanPage(context: SessionContext, { values, errors }: ScanPageValues): Promise<PageResult> {
  const [keys, scans] = await Promise.all([
    listUsableKeys(context),
    context.parts.store.accounts.listScans(context.account.id),
  ])
  return <ScanPage context={context} keys={keys} scans={scans} values={values} errors={errors} />
}

/** Shows the form with its values and the error of a scan. */
async function buildFailurePage(error: unknown, context: SessionContext, values: ScanFormValues): Promise<PageResult> {
  const failure = setError(error, context.exchange.request, context.exchange.reply)
  const errors = explainScanError(failure, context.now)
  try {
    return await buildScanPage(context, { values, errors })
  } catch (cause) {
    if (!(cause instanceof StoreError)) throw cause
    return <ScanPage context={context} keys={null} scans={null} values={values} errors={errors} />
  }
}

export const SCAN_PAGES = [SCAN, SUBMIT_SCAN, SCAN_RESULT]
