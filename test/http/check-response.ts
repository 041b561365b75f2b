import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import { expect } from 'vitest'
import { API_ERRORS, type ApiErrorCode } from '../../src/errors.ts'
import { CYCLONEDX_TYPE } from '../../src/scan/build-cyclonedx.ts'

/** A response. */
export interface Answer {
  readonly status: number
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly text: string
  /** The parsed JSON; null if the body is not JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: tests access arbitrary fields.
  readonly body: any
}

/** Asserts that data is valid against a schema of the OpenAPI document. */
export type SchemaCheck = (
  name: 'ScanResult' | 'KeyInfo' | 'KeyUsage' | 'Catalogue' | 'Batch' | 'BatchList' | 'BatchLine' | 'Error',
  data: unknown,
) => void

const schemaChecks = new Map<string, SchemaCheck>()

/** Returns the check of an OpenAPI document, which all test files of this process share. @param document as JSON */
export function findSchemaCheck(document: string): SchemaCheck {
  const check = schemaChecks.get(document) ?? buildSchemaCheck(JSON.parse(document) as object)
  schemaChecks.set(document, check)
  return check
}

/** Compiles the schemas of an OpenAPI document. They are closed here: our own responses have no undocumented field or value. */
export function buildSchemaCheck(document: object): SchemaCheck {
  const ajv = new Ajv2020({ strict: false, allErrors: true, formats: { date: isDate, 'date-time': isTime } })
  ajv.addSchema(closeSchemas(document) as object, 'document')
  const checks = new Map<string, ValidateFunction>()
  return (name, data) => {
    const check = checks.get(name) ?? ajv.compile({ $ref: `document#/components/schemas/${name}` })
    checks.set(name, check)
    if (!check(data)) expect(check.errors, `${name}: ${JSON.stringify(data)}`).toEqual([])
  }
}

/** Rejects additional fields and values, which the documents allow because later versions may add some. */
function closeSchemas(part: unknown): unknown {
  if (Array.isArray(part)) return part.map(closeSchemas)
  if (typeof part !== 'object' || part === null) return part
  const closed = Object.fromEntries(Object.entries(part).map(([key, value]) => [key, closeSchemas(value)]))
  if ('type' in part && part.type === 'object' && 'properties' in part) closed.additionalProperties = false
  if ('x-extensible-enum' in part) closed.enum = part['x-extensible-enum']
  return closed
}

const isDate = (text: string): boolean => new Date(`${text}T00:00:00.000Z`).toISOString().startsWith(`${text}T`)
const isTime = (text: string): boolean => new Date(text).toISOString() === text

/** Text that no response may contain: stack traces, paths, addresses, names and error codes of libraries. */
const INTERNALS =
  /\n|node:|node_modules|\bat .+:\d|\/(?:home|root|tmp|srv|src|dist|usr|etc)\b|127\.0\.0\.1|::1|fastify|mongo|redis|sqlite|undici|libsql|\bajv|pino|FST_|HPE_|ERR_/i
const INTEGER = /^\d+$/

interface CheckOptions {
  readonly checkSchema: SchemaCheck
  /** The revision of the response. */
  readonly revision: 1 | 2
}

/** Notes what is wrong with a value of a response. */
type Want = (what: string, value: unknown, isRight: boolean) => void

/**
 * Asserts the properties of every response. Tests send tens of thousands of requests: an `expect` for each property took longer
 * than the responses.
 */
export function checkAnswer(path: string, answer: Answer, { checkSchema, revision }: CheckOptions): void {
  const { status, headers, body, text } = answer
  const problems: string[] = []
  const want: Want = (what, value, isRight) => {
    if (!isRight) problems.push(`${what}: ${JSON.stringify(value)}`)
  }
  const retryAfter = headers['retry-after']
  want('x-request-id', headers['x-request-id'], /^[\w.:+/=@-]{1,128}$/.test(headers['x-request-id'] ?? ''))
  want('Retry-After on 429 only', retryAfter, (retryAfter !== undefined) === (status === 429))
  if (status === 429) want('Retry-After', retryAfter, Number(retryAfter) >= 1)
  if (isOfApi(path)) checkApiHeaders(headers, want)
  if (headers['x-quota-limit'] !== undefined || (status === 200 && isPath(path, '/api/v1/scan')))
    checkQuotaHeaders(headers, revision, want)
  const isCatalogue = isPath(path, '/api/v1/catalogue') && (status === 200 || status === 304)
  const caching = headers['cache-control']
  if (isOfApi(path)) want('cache-control', caching, caching === (isCatalogue ? 'private, no-cache' : 'no-store'))
  // Health checks read only the status.
  if (status >= 400 && text !== '' && !path.startsWith('/health/')) {
    checkSchema('Error', body)
    checkError(answer, revision, want)
  }
  if (problems.length > 0) expect.fail(`${status} of ${path} has wrong values: ${problems.join('; ')}`)
  const isDocument = headers['content-type']?.startsWith(CYCLONEDX_TYPE)
  if (status === 200 && isPath(path, '/api/v1/scan') && !isDocument) checkSchema('ScanResult', body)
  if (status === 200 && isPath(path, '/api/v1/me')) checkSchema('KeyInfo', body)
  if (status === 200 && isPath(path, '/api/v1/usage')) checkSchema('KeyUsage', body)
  if (status === 200 && isPath(path, '/api/v1/catalogue')) checkSchema('Catalogue', body)
  if (status < 300 && isPath(path, '/api/v1/batches')) checkSchema('batches' in body ? 'BatchList' : 'Batch', body)
  if (status < 300 && /^\/api\/v1\/batches\/\w+(?:\/retry)?(?![^?])/.test(path)) checkSchema('Batch', body)
  if (status === 200 && headers['content-type'] === 'application/x-ndjson')
    for (const line of text.split('\n').filter(Boolean)) checkSchema('BatchLine', JSON.parse(line))
}

/** A sentence that starts with a capital letter or the name of a parameter, and ends with a full stop. */
const SENTENCE =
  /^[^a-z].*[.]$|^(?:urls?|include|fresh|pages|render|month|kind|webhook|column|before|cursor|format) .*[.]$/

function checkError({ status, headers, body }: Answer, revision: 1 | 2, want: Want): void {
  const names = ['error', 'code', ...(revision === 2 ? ['retryable'] : []), 'requestId'].join()
  want('names', Object.keys(body), Object.keys(body).join() === names)
  // Only some failures of scans last, and then the same request is in vain.
  const isLasting = body.code === 'scan_failed' && !body.retryable
  if (revision === 2)
    want('retryable', body.retryable, body.retryable === [429, 500, 503].includes(status) || isLasting)
  want('requestId', body.requestId, body.requestId === headers['x-request-id'])
  want('code', body.code, API_ERRORS[body.code as ApiErrorCode][0] === status)
  want('error', body.error, SENTENCE.test(body.error) && !INTERNALS.test(body.error))
  want('content-type', headers['content-type'], headers['content-type'] === 'application/json; charset=utf-8')
}

function checkApiHeaders(headers: Answer['headers'], want: Want): void {
  for (const name of ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset'])
    want(name, headers[name], INTEGER.test(headers[name] ?? ''))
  const reset = headers['x-ratelimit-reset']
  want('x-ratelimit-reset', reset, Number(reset) % 60 === 0)
}

function checkQuotaHeaders(headers: Answer['headers'], revision: 1 | 2, want: Want): void {
  const values = ['limit', 'remaining', 'reset'].map((name) => headers[`x-quota-${name}`])
  if (revision === 1) {
    want(
      'x-quota-*',
      values,
      values.every((value) => value === undefined),
    )
    return
  }
  const [limit, remaining, reset] = values.map(Number)
  want('x-quota-*', values, values.every((value) => INTEGER.test(value ?? '')) && remaining <= limit)
  const time = Number.isFinite(reset) ? new Date(reset * 1000).toISOString() : ''
  want('x-quota-reset', time, /-01T00:00:00.000Z$/.test(time))
}

function isOfApi(path: string): boolean {
  return /^\/api\/v1(?![^/?])/.test(path)
}

function isPath(path: string, wanted: string): boolean {
  return path.split('?')[0] === wanted
}
