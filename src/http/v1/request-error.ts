import type { FastifyError, FastifySchemaValidationError } from 'fastify'
import { CATALOGUE_KINDS } from '../../detector/catalogue.ts'
import { ApiError, buildInvalidRequest } from '../../errors.ts'
import { MAX_PAGES } from '../../keys/plans.ts'
import { listExtras } from '../../scan/extras.ts'
import { RENDER_MODES } from '../../scan/render-modes.ts'
import type { Revision } from '../../service/request-state.ts'
import { findClosest } from '../../yaml/hint.ts'

/** A longer parameter name is not quoted in the message: it may be a pasted API key. */
const MAX_QUOTED_NAME_CHARACTERS = 30

/** The parameters that an endpoint accepts and those that a client has sent, for error messages. */
export interface Accepted {
  readonly revision: Revision
  /** Names of the documented parameters. */
  readonly known: readonly string[]
  /** The parameters that were sent. */
  readonly sent: Readonly<Record<string, unknown>>
  /** Those in the query, where a POST may have options too. */
  readonly query: Readonly<Record<string, unknown>>
  /** Whether the documented parameters are in the body. */
  readonly isInBody: boolean
}

/** Converts a schema validation error to an error that tells the client what to change. */
export function toRequestError(
  {
    validation = [],
    validationContext,
  }: Pick<FastifyError, 'validation'> & {
    readonly validationContext?: string
  },
  accepted: Accepted,
): ApiError {
  const [first] = validation
  if (first === undefined) return buildInvalidRequest('The request is not valid.')
  const { keyword, params, instancePath } = first as FastifySchemaValidationError
  const field = instancePath.split('/')[1] ?? ''
  const isList = accepted.known.includes('urls')
  if (keyword === 'required' && isList) return buildInvalidRequest(describeMissing(accepted, 'urls'))
  if (keyword === 'required') return new ApiError('invalid_url', { sentence: describeMissing(accepted, 'url') })
  if (keyword === 'additionalProperties') {
    const isMisplaced = accepted.isInBody && validationContext === 'querystring'
    return buildInvalidRequest(
      (isMisplaced ? describeMisplaced : describeUnknown)(String(params.additionalProperty), accepted),
    )
  }
  if (field === '')
    return buildInvalidRequest(
      `The request body must be a JSON object such as ${isList ? '{"urls": ["https://example.org"]}' : '{"url": "https://example.org"}'}.`,
    )
  const given = (validationContext === 'querystring' ? accepted.query : accepted.sent)[field]
  if (field === 'include') return buildInvalidRequest(describeInclude(accepted.revision, given))
  return buildInvalidRequest(describeExpected(field, given))
}

/** Reports that a parameter is missing, and which unknown parameter was sent in its place. */
function describeMissing(accepted: Accepted, wanted: string): string {
  const unknown = Object.keys(accepted.sent).find((name) => !accepted.known.includes(name))
  return `${wanted} is missing.${unknown === undefined ? '' : ` ${describeUnknown(unknown, accepted)}`}`
}

/** Lists the names that `include` accepts in a revision, after the first unknown name and the one that was probably meant. */
export function describeInclude(revision: Revision, given: unknown): string {
  const known = listExtras(revision)
  const isUnknown = (one: unknown): one is string => typeof one === 'string' && !known.some((name) => name === one)
  const unknown = [given].flat().find(isUnknown)
  const start = unknown === undefined ? [] : [`Unknown value${quote(unknown)} of include.`, suggest(unknown, known)]
  return [...start, `include must be a comma-separated list or an array of: ${known.join(', ')}.`]
    .filter(Boolean)
    .join(' ')
}

/** Suggests the known word that a client probably meant; an empty string if none is close. Case does not matter. */
function suggest(written: string, known: readonly string[]): string {
  const close = findClosest(written.trim().toLowerCase(), known)
  return close === undefined ? '' : `Did you mean ${JSON.stringify(close)}?`
}

/** Names that clients try → the right parameter, and how to write it. */
const HINTS: readonly [name: RegExp, known: string, hint: string][] = [
  [/^include\[\w*\]$/i, 'include', 'Write include=versions,timing, or repeat include.'],
  [/^(?:urls|urls?\[\w*\]|domains?|sites?|uri)$/i, 'url', 'Send one URL per request, as url.'],
  [
    /^(?:max[-_]?age|(?:no|skip|use)?[-_]?cache|force|refresh)$/i,
    'fresh',
    'To ignore a cached result, send fresh=true.',
  ],
]

/** Reports an unknown parameter, with the known ones and the one that the client may have meant. */
export function describeUnknown(name: string, { known }: Pick<Accepted, 'known'>): string {
  const list = known.length === 0 ? 'This endpoint has no parameters.' : `Known parameters: ${known.join(', ')}.`
  const hint = HINTS.find(([form, meant]) => known.includes(meant) && form.test(name))?.[2]
  const suggestion = hint === undefined ? suggest(name, known) : ''
  return [`Unknown parameter${quote(name)}.`, suggestion, list, hint].filter(Boolean).join(' ')
}

function describeMisplaced(name: string, { known }: Accepted): string {
  return `Unknown parameter${quote(name)} in the query. Send ${known.join(', ')} in the body.`
}

function quote(name: string): string {
  return name.length <= MAX_QUOTED_NAME_CHARACTERS ? ` ${JSON.stringify(name)}` : ''
}

/** Says what the value of a parameter must be. */
function describeExpected(field: string, given: unknown): string {
  const sentence = EXPECTED[field] ?? `${field} is not valid.`
  const hint = field === 'kind' && typeof given === 'string' ? suggest(given, CATALOGUE_KINDS) : ''
  return hint === '' ? sentence : `${hint} ${sentence}`
}

const EXPECTED: Readonly<Record<string, string>> = {
  url: 'url must be a single string.',
  urls: 'urls must be an array of strings.',
  webhook: 'webhook must be a single URL.',
  column: 'column must be the name of one column.',
  before: 'before must be the id of a batch.',
  cursor: 'cursor must come from the Link header of the part before.',
  format: 'format must be ndjson or csv.',
  fresh: 'fresh must be true or false, or 1 or 0 in a query.',
  pages: `pages must be a whole number from 1 to ${MAX_PAGES}.`,
  render: `render must be one of ${RENDER_MODES.join(', ')}.`,
  month: 'month must be a month such as 2026-05.',
  kind: `kind must be one of ${CATALOGUE_KINDS.join(', ')}.`,
}
