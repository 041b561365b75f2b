import type { TObject, TSchema } from '@sinclair/typebox'
import type { RulesetInfo } from '../../detector/ruleset-info.ts'
import { API_ERRORS, type ApiErrorCode } from '../../errors.ts'
import type { Revision } from '../../service/request-state.ts'
import {
  BATCH,
  BATCH_LIST,
  buildBatchLineSchema,
  buildErrorSchema,
  buildScanResultSchema,
  CATALOGUE,
  KEY_INFO,
  KEY_USAGE,
} from '../../service/response-schemas.ts'
import type { AppParts } from '../parts.ts'
import { COMMON_ERRORS, listHeaders, type Operation } from '../v1/operation.ts'
import { OPERATIONS } from '../v1/operations.ts'
import { buildErrorExamples, buildSuccessExamples, type Examples } from './document-examples.ts'
import { writeIntroduction } from './introduction.ts'

type Json = Readonly<Record<string, unknown>>

interface DocumentParts extends Pick<AppParts, 'settings' | 'version' | 'accounts'> {
  readonly rules: Pick<RulesetInfo, 'categories' | 'siteTypes'>
}

/**
 * Builds the OpenAPI 3.1 document of a revision from the schemas that validate requests and from the operations. Every schema
 * with an `$id` becomes a named component.
 */
export function buildDocument(parts: DocumentParts, revision: Revision): Json {
  const { rules, settings, version, accounts } = parts
  const components = new ComponentSchemas()
  for (const schema of [
    buildScanResultSchema(rules, revision),
    KEY_INFO,
    KEY_USAGE,
    CATALOGUE,
    ...(revision === 2 ? [BATCH_LIST, BATCH, buildBatchLineSchema(rules)] : []),
    buildErrorSchema(revision),
  ])
    components.add(schema)
  const paths: Record<string, Record<string, Json>> = {}
  for (const operation of OPERATIONS.filter(({ since }) => since <= revision)) {
    const path = `/api/v1${operation.path}`
    const described = describeOperation(operation, { components, revision, categories: rules.categories })
    paths[path] = { ...paths[path], [operation.method]: described }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Siteprint API',
      version: revision === 2 ? version : `${version} (revision 1)`,
      description: writeIntroduction({ revision, settings, hasPortal: accounts !== null }),
      contact: {
        name: 'The operator of this service',
        ...(settings.contactUrl !== null && { url: settings.contactUrl }),
      },
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: listServers(settings.publicUrl),
    security: [{ bearer: [] }, { header: [] }],
    tags: [{ name: 'v1', description: 'Version 1' }],
    paths,
    components: { schemas: components.listUsed(paths), securitySchemes: SECURITY_SCHEMES },
  }
}

const SECURITY_SCHEMES = {
  bearer: {
    type: 'http',
    scheme: 'bearer',
    description: 'Authorization: Bearer <key>. Takes precedence if both headers are sent.',
  },
  header: { type: 'apiKey', in: 'header', name: 'X-Api-Key', description: 'X-Api-Key: <key>' },
}

/** Without `PUBLIC_URL` the address of the document is also that of the API, whatever name people use for this machine. */
function listServers(publicUrl: string | null): Json[] {
  return [{ url: publicUrl ?? '/', description: 'This service' }]
}

interface DocumentContext {
  readonly components: ComponentSchemas
  readonly revision: Revision
  readonly categories: RulesetInfo['categories']
}

function describeOperation(operation: Operation, { components, revision, categories }: DocumentContext): Json {
  const { query, body, headers, params, operationId, summary, description, errors = [], isCacheable } = operation
  const { okStatus = 200, okTypes, listTypes } = operation
  const parameters = [
    ...listParameters('path', params, components),
    ...listParameters('query', query?.(revision), components),
    ...listParameters('header', headers, components),
  ]
  const codes = sortCodes([...COMMON_ERRORS, ...errors])
  const success = buildSuccessExamples(operation, { revision, categories })
  const respond = (status: number, text: string, content?: Content) => [
    status,
    {
      description: text,
      headers: listHeaders(operation, { status, revision }),
      ...(content && describeContent(content)),
    },
  ]
  const failures = [...new Set(codes.map((code) => API_ERRORS[code][0]))].map((status) => {
    const list = codes.filter((code) => API_ERRORS[code][0] === status)
    const examples = buildErrorExamples(operation, { codes: list, revision })
    return respond(status, `${MEANINGS[status]}: ${list.join(', ')}`, { schema: 'Error', examples })
  })
  return {
    tags: ['v1'],
    operationId,
    summary,
    description,
    ...(parameters.length > 0 && { parameters }),
    ...(body && { requestBody: describeBody(body(revision), components, listTypes) }),
    responses: Object.fromEntries([
      respond(okStatus, okStatus === 202 ? 'Accepted' : 'OK', {
        schema: operation.ok,
        examples: success,
        types: okTypes,
      }),
      ...(isCacheable ? [respond(304, 'Not modified')] : []),
      ...failures,
    ]),
  }
}

/** Status → its meaning. The document lists the error codes after it. */
const MEANINGS: Readonly<Record<number, string>> = {
  400: 'The request is not valid',
  401: 'The key is missing, invalid or revoked',
  404: 'There is no such batch',
  405: 'The header Allow lists the allowed methods',
  413: 'The list is too large',
  422: 'The Idempotency-Key belongs to another request',
  429: 'A limit is exceeded; the header Retry-After says how long to wait',
  500: 'A later try may succeed',
  503: 'The service is not available at the moment',
}

/** The order of the error table. */
function sortCodes(codes: readonly ApiErrorCode[]): ApiErrorCode[] {
  return (Object.keys(API_ERRORS) as ApiErrorCode[]).filter((code) => codes.includes(code))
}

/** The body of a response. */
interface Content {
  readonly schema: string
  readonly examples: Examples
  /** Media types; JSON if absent. The schema describes the first one: a line of it, if it is not JSON. */
  readonly types?: readonly string[] | undefined
}

function describeContent({ schema, examples, types = ['application/json'] }: Content): Json {
  const [main, ...others] = types
  return {
    content: {
      [main]: { schema: { $ref: `#/components/schemas/${schema}` }, examples },
      ...Object.fromEntries(others.map((type) => [type, TEXT_MEDIA])),
    },
  }
}

const TEXT_MEDIA = { schema: { type: 'string' } }

function describeBody(schema: TSchema, components: ComponentSchemas, listTypes: readonly string[] = []): Json {
  const { examples = [] } = schema
  const named = Object.fromEntries(
    (examples as unknown[]).map((value, i) => [`request${i + 1}`, { summary: 'A request', value }]),
  )
  const lists = Object.fromEntries(listTypes.map((type) => [type, TEXT_MEDIA]))
  return {
    required: true,
    content: { 'application/json': { schema: components.add(schema), examples: named }, ...lists },
  }
}

/** Lists the properties of an object schema as parameters. Lists are comma-separated. */
function listParameters(
  where: 'query' | 'header' | 'path',
  schema: TObject | undefined,
  components: ComponentSchemas,
): Json[] {
  const required = schema?.required ?? []
  return Object.entries<TSchema>(schema?.properties ?? {}).map(([name, { description, examples, ...rest }]) => ({
    name,
    in: where,
    required: required.includes(name),
    ...(description && { description }),
    ...(examples && { example: examples[0] }),
    ...(rest.type === 'array' && { style: 'form', explode: false }),
    schema: components.add(rest),
  }))
}

/** The named components of a document. */
class ComponentSchemas {
  readonly #schemas = new Map<string, Json>()

  /** Returns a schema with references in place of the schemas that have an `$id`, which become components. */
  add(schema: unknown): unknown {
    if (Array.isArray(schema)) return schema.map((one) => this.add(one))
    if (typeof schema !== 'object' || schema === null) return schema
    const { $id, ...rest } = schema as { readonly $id?: string }
    const copy = Object.fromEntries(Object.entries(rest).map(([key, value]) => [key, this.add(value)]))
    if ($id === undefined) return copy
    this.#schemas.set($id, copy)
    return { $ref: `#/components/schemas/${$id}` }
  }

  /** Lists the components that the paths refer to, directly or through other components, by name. */
  listUsed(paths: Json): Json {
    const used = new Set<string>()
    const visit = (part: unknown): void => {
      for (const [, name] of JSON.stringify(part).matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
        if (used.has(name)) continue
        used.add(name)
        visit(this.#schemas.get(name))
      }
    }
    visit(paths)
    return Object.fromEntries(
      [...this.#schemas].filter(([name]) => used.has(name)).sort(([a], [b]) => (a < b ? -1 : 1)),
    )
  }
}
