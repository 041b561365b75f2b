import { type Static, Type } from '@sinclair/typebox'
import { CATALOGUE_KINDS } from '../../detector/catalogue.ts'
import { MAX_PAGES } from '../../keys/plans.ts'
import { LIVE_EXTRAS, listExtras } from '../../scan/extras.ts'
import { RENDER_MODES } from '../../scan/render-modes.ts'
import { closedObject, list, oneOf } from '../../scan/schema-builders.ts'

const url = Type.String({
  description:
    'The URL to scan: absolute, http or https, at most 2048 characters, a public host, port 80, 443 or none, no credentials.',
  examples: ['https://example.org'],
})

const INCLUDE = 'What to add after the standard fields.'
const FRESH = 'Scan again even if the cache has a result, and replace the cached result.'

function buildOptions(revision: 1 | 2) {
  const extra = oneOf(revision === 2 ? LIVE_EXTRAS : listExtras(revision), { $id: 'Extra' })
  return {
    include: Type.Optional(list(extra, { description: INCLUDE, examples: [['versions', 'infrastructure']] })),
    fresh: Type.Optional(Type.Boolean({ description: FRESH, examples: [true] })),
  }
}

/** The options that only single scans of revision 2 have. */
const SINGLE = {
  pages: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: MAX_PAGES,
      description:
        'How many pages of the site are read; 1 by default. Other ones are chosen from the links of the page. Each page that is read is charged as one scan, and listed in parts. The plan of the key may allow fewer.',
      examples: [3],
    }),
  ),
  render: Type.Optional(
    oneOf(RENDER_MODES, {
      description:
        'Whether a browser runs the scripts of the page, if the service has one; never by default. auto renders pages that show hardly any text without their scripts. If rendering fails, the page is read as it was fetched, and warnings say why.',
      examples: ['auto'],
    }),
  ),
}

/**
 * Builds the parameters of `GET /scan` in a revision. They are validated after `readOptions` has turned their text into
 * lists and booleans.
 */
export function buildScanQuery(revision: 1 | 2 = 2) {
  return closedObject({ url, ...buildOptions(revision), ...(revision === 2 ? SINGLE : {}) })
}

/** Builds the body of `POST /scan` in a revision. */
export function buildScanRequest(revision: 1 | 2 = 2) {
  return closedObject(
    { url, ...buildOptions(revision), ...(revision === 2 ? SINGLE : {}) },
    { $id: 'ScanRequest', description: 'What to scan.', examples: [{ url: 'https://example.org' }] },
  )
}

/** The body of `POST /scan`. */
export const SCAN_REQUEST = buildScanRequest()
/** The query that `POST /scan` accepts for clients that put options there. Its documented place for them is the body. */
export const POST_QUERY = closedObject({ ...buildOptions(2), ...SINGLE })
export type ScanBody = Static<typeof SCAN_REQUEST>

/** The query of an endpoint without parameters. */
export const NO_QUERY = closedObject({})

/** The query of `GET /usage`. */
export const USAGE_QUERY = closedObject({
  month: Type.Optional(
    Type.String({
      pattern: '^[1-9][0-9]{3}-(?:0[1-9]|1[0-2])$',
      description: 'A month (UTC) that is not in the future; the current one by default.',
      examples: ['2026-05'],
    }),
  ),
})

/** The query of `GET /catalogue`. */
export const CATALOGUE_QUERY = closedObject({
  kind: Type.Optional(oneOf(CATALOGUE_KINDS, { description: 'Only the entries of this kind.' })),
})

const batchOptions = {
  ...buildOptions(2),
  webhook: Type.Optional(
    Type.String({
      description:
        'https URL to which a message signed by the Standard Webhooks specification is sent when the batch ends.',
      examples: ['https://shop.example/hooks/siteprint'],
    }),
  ),
}

/** The body of `POST /batches` as JSON. */
export const BATCH_REQUEST = closedObject(
  {
    urls: list(Type.String(), {
      description: 'The URLs, at most as many as the plan of the key allows. Domains without a scheme are possible.',
    }),
    ...batchOptions,
  },
  { $id: 'BatchRequest', description: 'What to scan.', examples: [{ urls: ['https://example.org', 'example.com'] }] },
)
export type BatchParameters = Static<typeof BATCH_REQUEST>

/** The query of `POST /batches`, for lists that are not JSON. */
export const BATCH_QUERY = closedObject({
  column: Type.Optional(Type.String({ description: 'Only for CSV: the name of the column with the URLs.' })),
  ...batchOptions,
})

/** The request headers that `POST /batches` reads. */
export const BATCH_HEADERS = Type.Object({
  'idempotency-key': Type.Optional(
    Type.String({
      description: 'Up to 255 visible ASCII characters. A repeated request with the same key finds the first batch.',
    }),
  ),
})

/** The query of `GET /batches`. */
export const BATCH_LIST_QUERY = closedObject({
  before: Type.Optional(
    Type.String({ pattern: '^[0-9A-Za-z]{1,40}$', description: 'Only batches older than the one with this id.' }),
  ),
})

/** The query of `GET /batches/{id}/results`. */
export const BATCH_RESULTS_QUERY = closedObject({
  cursor: Type.Optional(
    Type.String({ pattern: '^[0-9-]{1,40}$', description: 'Where the part begins: from the Link of the part before.' }),
  ),
  format: Type.Optional(oneOf(['ndjson', 'csv'] as const, { description: 'ndjson by default.' })),
})

/** The path of the endpoints of one batch. */
export const BATCH_PATH = Type.Object({ id: Type.String({ description: 'Identifier of the batch.' }) })

/** The request headers that `GET /catalogue` reads. */
export const CATALOGUE_HEADERS = Type.Object({
  'if-none-match': Type.Optional(
    Type.String({ description: 'The ETag of a stored response. If it is still valid, the response is 304.' }),
  ),
})

const BOOLEANS: readonly [form: RegExp, value: boolean][] = [
  [/^(?:true|1)$/i, true],
  [/^(?:false|0)$/i, false],
]

/**
 * Turns the text of `include`, `fresh` and `pages` into a list, a boolean and a number, for validation by their schemas: `include` may be
 * repeated and may contain comma-separated lists, and in a query `fresh` is true, false, 1 or 0 in any case. A value of
 * any other form is not changed.
 * @param parameters a query or body, which is changed
 */
export function readOptions(parameters: unknown, { isQuery }: { readonly isQuery: boolean }): void {
  if (typeof parameters !== 'object' || parameters === null) return
  const options = parameters as { include?: unknown; fresh?: unknown; pages?: unknown }
  if (options.include !== undefined) options.include = splitNames(options.include)
  const { fresh, pages } = options
  if (isQuery && typeof fresh === 'string') options.fresh = BOOLEANS.find(([form]) => form.test(fresh))?.[1] ?? fresh
  if (isQuery && typeof pages === 'string' && /^\d{1,3}$/.test(pages)) options.pages = Number(pages)
}

/** Splits comma-separated lists of names, alone or in an array. Anything else is returned unchanged. */
function splitNames(include: unknown): unknown {
  if (typeof include === 'string') return include.split(',') // The usual form: the calls below took a microsecond of each request.
  const lists = [include].flat()
  return lists.every((one) => typeof one === 'string') ? lists.flatMap((one) => one.split(',')) : include
}
