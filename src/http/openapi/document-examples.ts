import { NO_BATCH } from '../../batches/batch-service.ts'
import { API_ERRORS, type ApiErrorCode, SCAN_CAUSES } from '../../errors.ts'
import { listExtras } from '../../scan/extras.ts'
import { formatResult } from '../../service/cached-response.ts'
import type { Revision } from '../../service/request-state.ts'
import { formatError } from '../../web/error-responses.ts'
import { EXAMPLE_ENTRY, EXAMPLE_REQUEST_ID, EXAMPLE_RESPONSES } from '../v1/example-responses.ts'
import { listParameterNames, type Operation } from '../v1/operation.ts'
import { describeUnknown } from '../v1/request-error.ts'

/** An example in an OpenAPI document. */
interface DocumentExample {
  readonly summary: string
  readonly value: unknown
}

export type Examples = Readonly<Record<string, DocumentExample>>

interface ExampleOptions {
  readonly revision: Revision
  /** Categories of builders → their names in revision 1. */
  readonly categories: Readonly<Record<string, string>>
}

/** Builds the examples of the 200 response of an operation. */
export function buildSuccessExamples({ ok }: Operation, { revision, categories }: ExampleOptions): Examples {
  if (ok !== 'ScanResult') return { response: { summary: 'A response', value: EXAMPLE_RESPONSES[ok] } }
  const include = listExtras(revision)
  const format = (cached: boolean, extras: typeof include): unknown =>
    JSON.parse(formatResult(EXAMPLE_ENTRY, { cached, include: extras, revision, categories }))
  return {
    standard: { summary: 'The standard fields', value: format(false, []) },
    cached: { summary: 'From the cache', value: format(true, []) },
    extras: { summary: `With include=${include.join(',')}`, value: format(false, include) },
  }
}

/** Builds an example of each error. The service responds with exactly these bodies. */
export function buildErrorExamples(
  operation: Operation,
  { codes, revision }: { readonly codes: readonly ApiErrorCode[]; readonly revision: Revision },
): Examples {
  return Object.fromEntries(
    codes.map((code) => {
      const sentence = findSentence(code, operation, revision)
      const body = formatError({ code, sentence, requestId: EXAMPLE_REQUEST_ID, revision })
      return [code, { summary: code, value: JSON.parse(body) }]
    }),
  )
}

function findSentence(code: ApiErrorCode, operation: Operation, revision: Revision): string {
  if (code === 'scan_failed') return SCAN_CAUSES.unreachable[1]
  if (code === 'not_found') return NO_BATCH
  if (code !== 'invalid_request') return API_ERRORS[code][1]
  const name = operation.ok === 'ScanResult' ? 'max_age' : 'limit'
  return describeUnknown(name, { known: listParameterNames(operation, revision) })
}
