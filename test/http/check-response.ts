import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import { expect } from 'vitest'
import { API_ERRORS, type ApiErrorCode } from '../../src/errors.ts'

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
export type SchemaCheck = (name: 'ScanResult' | 'KeyInfo' | 'KeyUsage' | 'Catalogue' | 'Error', data: unknown) => void

/** Compiles the schemas of an OpenAPI document. They are closed here: our own responses have no undocumented field or value. */
export function buildSchemaCheck(document: object): SchemaCheck {
  const ajv = new Ajv2020({ strict: false, allErrors: true, formats: { date: isDate, 'date-time': isTime } })
  ajv.addSchema(closeSchemas(document) as object, 'document')
  const checks = new Map<string, ValidateFunction>()
  return (name, data) => {
    const check = checks.get(name) ?? ajv.compile({ $ref: `document#/components/schemas/${name}` })
    checks.set(name, check)
    check(data)
    expect(check.errors ?? [], `${name}: ${JSON.stringify(data)}`).toEqual([])
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

/** Asserts the properties of every response. */
export function checkAnswer(path: string, answer: Answer, { checkSchema, revision }: CheckOptions): void {
  const { status, headers, body, text } = answer
  expect(headers['x-request-id']).toMatch(/^[\w.:+/=@-]{1,128}$/)
  expect(headers['retry-after'] !== undefined, 'Retry-After on 429 only').toBe(status === 429)
  if (status === 429) expect(Number(headers['retry-after'])).toBeGreaterThanOrEqual(1)
  if (isOfApi(path)) checkApiHeaders(headers)
  if (headers['x-quota-limit'] !== undefined || (status === 200 && isPath(path, '/api/v1/scan')))
    checkQuotaHeaders(headers, revision)
  const isCatalogue = isPath(path, '/api/v1/catalogue') && (status === 200 || status === 304)
  if (isOfApi(path)) expect(headers['cache-control']).toBe(isCatalogue ? 'private, no-cache' : 'no-store')
  // Health checks read only the status.
  if (status >= 400 && text !== '' && !path.startsWith('/health/')) {
    checkSchema('Error', body)
    expect(Object.keys(body)).toEqual(['error', 'code', ...(revision === 2 ? ['retryable'] : []), 'requestId'])
    if (revision === 2) expect(body.retryable).toBe([429, 500, 503].includes(status))
    expect(body.requestId).toBe(headers['x-request-id'])
    expect(API_ERRORS[body.code as ApiErrorCode][0]).toBe(status)
    expect(body.error).not.toMatch(INTERNALS)
    expect(body.error).toMatch(/^[^a-z].*[.]$|^url .*[.]$|^include .*[.]$|^fresh .*[.]$|^month .*[.]$|^kind .*[.]$/)
    expect(headers['content-type']).toBe('application/json; charset=utf-8')
  }
  if (status === 200 && isPath(path, '/api/v1/scan')) checkSchema('ScanResult', body)
  if (status === 200 && isPath(path, '/api/v1/me')) checkSchema('KeyInfo', body)
  if (status === 200 && isPath(path, '/api/v1/usage')) checkSchema('KeyUsage', body)
  if (status === 200 && isPath(path, '/api/v1/catalogue')) checkSchema('Catalogue', body)
}

function checkApiHeaders(headers: Answer['headers']): void {
  for (const name of ['limit', 'remaining', 'reset']) expect(headers[`x-ratelimit-${name}`], name).toMatch(INTEGER)
  expect(Number(headers['x-ratelimit-reset']) % 60).toBe(0)
}

function checkQuotaHeaders(headers: Answer['headers'], revision: 1 | 2): void {
  const [limit, remaining, reset] = ['limit', 'remaining', 'reset'].map((name) => headers[`x-quota-${name}`])
  if (revision === 1) {
    expect([limit, remaining, reset]).toEqual([undefined, undefined, undefined])
    return
  }
  for (const value of [limit, remaining, reset]) expect(value).toMatch(INTEGER)
  expect(Number(remaining)).toBeLessThanOrEqual(Number(limit))
  expect(new Date(Number(reset) * 1000).toISOString()).toMatch(/-01T00:00:00.000Z$/)
}

function isOfApi(path: string): boolean {
  return /^\/api\/v1(?![^/?])/.test(path)
}

function isPath(path: string, wanted: string): boolean {
  return path.split('?')[0] === wanted
}
