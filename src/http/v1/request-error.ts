import type { FastifyError, FastifySchemaValidationError } from 'fastify'
import { ApiError } from '../../errors.ts'
import { invalid } from '../body.ts'

// A longer one may be a key that somebody pasted.
const LONGEST_NAME = 30

/** What the schema found wrong, as an error that says what to do. */
export function requestFault({ validation = [] }: Pick<FastifyError, 'validation'>): ApiError {
  const [first] = validation
  if (first === undefined) return invalid('The request is not valid.')
  const { keyword, params, instancePath } = first as FastifySchemaValidationError
  const field = instancePath.split('/')[1] ?? ''
  if (keyword === 'required') return new ApiError('invalid_url', { sentence: 'url is missing.' })
  if (keyword === 'additionalProperties') {
    const name = String(params.additionalProperty)
    const told =
      name.length <= LONGEST_NAME
        ? `There is no parameter ${JSON.stringify(name)} here.`
        : 'A parameter is not known here.'
    return invalid(`${told} Leave it away.`)
  }
  if (field === '') return invalid('The body must be a JSON object such as {"url": "https://example.org"}.')
  return invalid(EXPECTED[field] ?? `${field} is not valid.`)
}

const EXPECTED: Readonly<Record<string, string>> = {
  url: 'url must be one text.',
  include: 'include takes evidence, versions, infrastructure, timing and warnings: a list with commas, or an array.',
  fresh: 'fresh must be true or false.',
}
