import { createRequire } from 'node:module'
import type { Ajv, AnySchema, ValidateFunction } from 'ajv'

/** Options of Fastify's own validators that matter here, and ours. */
const AJV_OPTIONS = {
  useDefaults: true,
  addUsedSchema: false,
  allowUnionTypes: true,
  // A test validates the schemas themselves, as part of the OpenAPI documents: compiling the meta-schema takes tens of milliseconds.
  validateSchema: false,
}

/**
 * Builds validators that compile their schema for their first request. Compiling the schemas of all routes with Fastify's compilers,
 * which load much more than these need, took a tenth of the start of the service.
 */
function buildLazyValidators(): (route: AnySchema) => ValidateFunction {
  let ajv: Ajv | undefined
  return (route) => {
    // By its types, Fastify (5.12) passes the schema itself.
    const { schema } = route as { readonly schema: AnySchema }
    let compiled: ValidateFunction | undefined
    const validate = (data: unknown): boolean => {
      ajv ??= openAjv()
      compiled ??= ajv.compile(schema)
      const isValid = compiled(data)
      Object.assign(validate, { errors: compiled.errors })
      return isValid
    }
    return validate as ValidateFunction
  }
}

function openAjv(): Ajv {
  const { Ajv } = createRequire(import.meta.url)('ajv') as typeof import('ajv')
  return new Ajv(AJV_OPTIONS)
}

/** Takes the place of Fastify's compiler of serializers, whose modules would be loaded. @throws Error for a route that needs one */
function rejectSerializers(): never {
  throw new Error('Routes have no response schemas: responses are serialized by the handlers')
}

/** The compilers of the schemas of routes, for the options of Fastify. */
export const SCHEMA_CONTROLLER = {
  compilersFactory: { buildValidator: buildLazyValidators, buildSerializer: rejectSerializers },
}
