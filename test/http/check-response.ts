import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import { expect } from 'vitest'
import { API_ERRORS, type ApiErrorCode } from '../../src/errors.ts'

/** An answer as a test reads it. */
export interface Answer {
  readonly status: number
  /** In lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly text: string
  /** The text as JSON; null where there is none. */
  // biome-ignore lint/suspicious/noExplicitAny: a test says what it expects.
  readonly body: any
}

/** Tells whether data is as a schema of the OpenAPI document has it. */
export type SchemaCheck = (name: 'ScanResult' | 'KeyInfo' | 'Error', data: unknown) => void

/** Reads the schemas of an OpenAPI document. */
export function buildSchemaCheck(document: object): SchemaCheck {
  const ajv = new Ajv2020({ strict: false, allErrors: true, formats: { date: isDate, 'date-time': isTime } })
  ajv.addSchema(document, 'document')
  const checks = new Map<string, ValidateFunction>()
  return (name, data) => {
    const check = checks.get(name) ?? ajv.compile({ $ref: `document#/components/schemas/${name}` })
    checks.set(name, check)
    check(data)
    expect(check.errors ?? [], `${name}: ${JSON.stringify(data)}`).toEqual([])
  }
}

const isDate = (text: string): boolean => new Date(`${text}T00:00:00.000Z`).toISOString().startsWith(`${text}T`)
const isTime = (text: string): boolean => new Date(text).toISOString() === text

/** What no caller may read: stacks, paths, addresses, names of libraries, what they call their errors. */
const INSIDE =
  /\n|node:|node_modules|\bat .+:\d|\/(?:home|root|tmp|srv|src|dist|usr|etc)\b|127\.0\.0\.1|::1|fastify|mongo|redis|sqlite|undici|libsql|\bajv|pino|FST_|HPE_|ERR_/i
const WHOLE = /^\d+$/

/** What holds of every answer, whatever was asked. */
export function checkAnswer(path: string, answer: Answer, checkSchema: SchemaCheck): void {
  const { status, headers, body, text } = answer
  expect(headers['x-request-id']).toMatch(/^[\w.:+/=@-]{1,128}$/)
  expect(headers['retry-after'] !== undefined, 'Retry-After on 429 alone').toBe(status === 429)
  if (status === 429) expect(Number(headers['retry-after'])).toBeGreaterThanOrEqual(1)
  if (isOfApi(path)) checkApiHeaders(headers)
  // Probes read the status alone.
  if (status >= 400 && text !== '' && !path.startsWith('/health/')) {
    checkSchema('Error', body)
    expect(Object.keys(body)).toEqual(['error', 'code', 'requestId'])
    expect(body.requestId).toBe(headers['x-request-id'])
    expect(API_ERRORS[body.code as ApiErrorCode][0]).toBe(status)
    expect(body.error).not.toMatch(INSIDE)
    expect(body.error).toMatch(/^[^a-z].*[.]$|^url .*[.]$|^include .*[.]$|^fresh .*[.]$/)
    expect(headers['content-type']).toBe('application/json; charset=utf-8')
  }
  if (status === 200 && isPath(path, '/api/v1/scan')) checkSchema('ScanResult', body)
  if (status === 200 && isPath(path, '/api/v1/me')) checkSchema('KeyInfo', body)
}

function checkApiHeaders(headers: Answer['headers']): void {
  for (const name of ['limit', 'remaining', 'reset']) expect(headers[`x-ratelimit-${name}`], name).toMatch(WHOLE)
  expect(Number(headers['x-ratelimit-reset']) % 60).toBe(0)
  expect(headers['cache-control']).toBe('no-store')
}

function isOfApi(path: string): boolean {
  return /^\/api\/v1(?![^/?])/.test(path)
}

function isPath(path: string, wanted: string): boolean {
  return path.split('?')[0] === wanted
}
