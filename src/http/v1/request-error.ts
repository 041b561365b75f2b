import type { FastifyError, FastifySchemaValidationError } from 'fastify'
import { ApiError } from '../../errors.ts'
import { CATALOGUE_KINDS } from '../../scan/catalogue.ts'
import { invalid } from '../body.ts'

/** A longer parameter name is not quoted in the message: it may be a pasted API key. */
const MAX_QUOTED_NAME_CHARACTERS = 30

/** Converts a schema validation error to an error that tells the client what to change. */
export function toRequestError({ validation = [] }: Pick<FastifyError, 'validation'>): ApiError {
  const [first] = validation
  if (first === undefined) return invalid('The request is not valid.')
  const { keyword, params, instancePath } = first as FastifySchemaValidationError
  const field = instancePath.split('/')[1] ?? ''
  if (keyword === 'required') return new ApiError('invalid_url', { sentence: 'url is missing.' })
  if (keyword === 'additionalProperties') {
    const name = String(params.additionalProperty)
    const quoted = name.length <= MAX_QUOTED_NAME_CHARACTERS ? ` ${JSON.stringify(name)}` : ''
    return invalid(`Unknown parameter${quoted}. Remove it.`)
  }
  if (field === '') return invalid('The request body must be a JSON object such as {"url": "https://example.org"}.')
  return invalid(EXPECTED[field] ?? `${field} is not valid.`)
}

const EXPECTED: Readonly<Record<string, string>> = {
  url: 'url must be a single string.',
  include:
    'include must be a comma-separated list or an array of: evidence, versions, infrastructure, timing, warnings.',
  fresh: 'fresh must be true or false.',
  month: 'month must be a month such as 2026-05.',
  kind: `kind must be one of ${CATALOGUE_KINDS.join(', ')}.`,
}
