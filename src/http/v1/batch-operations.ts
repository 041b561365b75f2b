import type { Operation } from './operation.ts'
import {
  BATCH_HEADERS,
  BATCH_LIST_QUERY,
  BATCH_PATH,
  BATCH_QUERY,
  BATCH_REQUEST,
  BATCH_RESULTS_QUERY,
  NO_QUERY,
} from './request-schemas.ts'

/** The media types of lists and of results, in addition to JSON. */
export const NDJSON = 'application/x-ndjson'
export const CSV = 'text/csv'
export const LIST_TYPES = ['text/plain', NDJSON, CSV]

const COUNTED = 'Counts against the rate limit, but not against the quota. Exists in revision 2 only.'
const ONE = { path: '/batches/{id}', params: BATCH_PATH, since: 2, errors: ['not_found'] } as const

export const SUBMIT: Operation = {
  method: 'post',
  path: '/batches',
  operationId: 'createBatch',
  summary: 'Submit a list of URLs',
  description: `Scans the URLs in the background, each as POST /scan does. The list is JSON; or one URL per line as text/plain, a text or an object with url per line as ${NDJSON}, or text/csv with the parameter column, and then the options are in the query. Each success is charged once to the monthly quota; the batch pauses while the quota is used up. ${COUNTED}`,
  query: () => BATCH_QUERY,
  body: () => BATCH_REQUEST,
  headers: BATCH_HEADERS,
  listTypes: LIST_TYPES,
  ok: 'Batch',
  okStatus: 202,
  okHeaders: { Location: { description: 'The path of the batch.', schema: { type: 'string' } } },
  errors: ['invalid_url', 'blocked_target', 'payload_too_large', 'idempotency_conflict'],
  since: 2,
}

export const LIST: Operation = {
  method: 'get',
  path: '/batches',
  operationId: 'listBatches',
  summary: 'List the batches of the key',
  description: `Newest first. ${COUNTED}`,
  query: () => BATCH_LIST_QUERY,
  ok: 'BatchList',
  since: 2,
}

export const GET: Operation = {
  ...ONE,
  method: 'get',
  operationId: 'getBatch',
  summary: 'Progress of a batch',
  description: COUNTED,
  query: () => NO_QUERY,
  ok: 'Batch',
}

export const CANCEL: Operation = {
  ...ONE,
  method: 'delete',
  operationId: 'cancelBatch',
  summary: 'Cancel a batch',
  description: `URLs whose scan has not started are not scanned. Results stay readable. ${COUNTED}`,
  query: () => NO_QUERY,
  ok: 'Batch',
}

export const RETRY: Operation = {
  ...ONE,
  method: 'post',
  path: '/batches/{id}/retry',
  operationId: 'retryBatch',
  summary: 'Scan the failed URLs of a batch again',
  description: `Their errors are replaced by new lines at the end of the results. Successes stay as they are. ${COUNTED}`,
  query: () => NO_QUERY,
  ok: 'Batch',
  okStatus: 202,
}

export const RESULTS: Operation = {
  ...ONE,
  method: 'get',
  path: '/batches/{id}/results',
  operationId: 'getBatchResults',
  summary: 'Results of a batch',
  description: `One line for each URL that has a result or an error, in the order of completion, in parts. The header Link leads to the next part; it is absent at the end of a batch that has ended. A part of a running batch may be empty: read the same link again later. Sent with gzip to clients that accept it. ${COUNTED}`,
  query: () => BATCH_RESULTS_QUERY,
  ok: 'BatchLine',
  okTypes: [NDJSON, CSV],
  okHeaders: { Link: { description: 'The next part, with rel="next".', schema: { type: 'string' } } },
}

/** The operations of batches, in the order of the documents. */
export const BATCH_OPERATIONS: readonly Operation[] = [SUBMIT, LIST, GET, RESULTS, RETRY, CANCEL]
