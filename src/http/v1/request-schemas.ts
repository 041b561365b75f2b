import { type Static, Type } from '@sinclair/typebox'
import { CATALOGUE_KINDS } from '../../detector/catalogue.ts'
import { LIVE_EXTRAS, listExtras } from '../../scan/extras.ts'
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

/**
 * Builds the parameters of `GET /scan` in a revision. They are validated after `readOptions` has turned their text into
 * lists and booleans.
 */
export function buildScanQuery(revision: 1 | 2 = 2) {
  return closedObject({ url, ...buildOptions(revision) })
}

/** Builds the body of `POST /scan` in a revision. */
export function buildScanRequest(revision: 1 | 2 = 2) {
  return closedObject(
    { url, ...buildOptions(revision) },
    { $id: 'ScanRequest', description: 'What to scan.', examples: [{ url: 'https://example.org' }] },
  )
}

/** The body of `POST /scan`. */
export const SCAN_REQUEST = buildScanRequest()
/** The query that `POST /scan` accepts for clients that put options there. Its documented place for them is the body. */
export const POST_QUERY = closedObject(buildOptions(2))
export type ScanParameters = Static<typeof SCAN_REQUEST>

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
 * Turns the text of `include` and `fresh` into a list and a boolean, for validation by their schemas: `include` may be
 * repeated and may contain comma-separated lists, and in a query `fresh` is true, false, 1 or 0 in any case. A value of
 * any other form is not changed.
 * @param parameters a query or body, which is changed
 */
export function readOptions(parameters: unknown, { isQuery }: { readonly isQuery: boolean }): void {
  if (typeof parameters !== 'object' || parameters === null) return
  const options = parameters as { include?: unknown; fresh?: unknown }
  if (options.include !== undefined) options.include = splitNames(options.include)
  const { fresh } = options
  if (isQuery && typeof fresh === 'string') options.fresh = BOOLEANS.find(([form]) => form.test(fresh))?.[1] ?? fresh
}

/** Splits comma-separated lists of names, alone or in an array. Anything else is returned unchanged. */
function splitNames(include: unknown): unknown {
  const lists = [include].flat()
  return lists.every((one) => typeof one === 'string') ? lists.flatMap((one) => one.split(',')) : include
}
