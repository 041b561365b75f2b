import { compile } from 'json-schema-to-typescript'
import { loadConfig } from '../src/config/config.ts'
import { buildDocument } from '../src/http/openapi/openapi-document.ts'

type Rules = Parameters<typeof buildDocument>[0]['rules']

/**
 * Builds the files of `clients/` that are generated: the OpenAPI document of a service with the rules and plans of the project, and
 * its schemas as TypeScript types.
 */
export async function buildClientFiles(rules: Rules, version: string): Promise<Readonly<Record<string, string>>> {
  const settings = loadConfig({})
  const document = buildDocument({ rules, settings, version, accounts: null }, 2)
  return {
    'clients/openapi.json': `${JSON.stringify(document, null, 2)}\n`,
    'clients/typescript/src/schema.ts': await formatTypes(document.components as DocumentComponents),
  }
}

interface DocumentComponents {
  readonly schemas: Readonly<Record<string, object>>
}

const BANNER = '// Generated from clients/openapi.json by "tools/run docs --write". Do not edit.'

/** Formats the named components of a document as TypeScript types. Open objects have an index signature for additional fields. */
async function formatTypes({ schemas }: DocumentComponents): Promise<string> {
  const definitions = adaptSchema(schemas) as Record<string, object>
  const text = await compile({ title: 'Siteprint', definitions }, 'Siteprint', {
    bannerComment: BANNER,
    unreachableDefinitions: true,
    style: { semi: false, singleQuote: true, printWidth: 120 },
  })
  // Each type refers to an interface for the whole document, which has no use.
  return text
    .replace(
      /(?:^ \*\n)?^ \* This interface was referenced by `Siteprint`'s JSON-Schema\n \* via the `definition` "\w+"\.\n/gm,
      '',
    )
    .replace(/^\/\*\*\n \*\/\n/gm, '')
    .replace(/^export interface Siteprint \{\n.*?^\}\n/ms, '')
}

/**
 * Converts references to those of JSON Schema, and extensible lists to types that accept any string and complete the
 * known ones.
 */
function adaptSchema(part: unknown): unknown {
  if (Array.isArray(part)) return part.map(adaptSchema)
  if (typeof part !== 'object' || part === null) return part
  const { 'x-extensible-enum': known, $ref, ...rest } = part as Record<string, unknown>
  if (typeof $ref === 'string') return { $ref: $ref.replace('#/components/schemas/', '#/definitions/') }
  const adapted = Object.fromEntries(Object.entries(rest).map(([key, value]) => [key, adaptSchema(value)]))
  if (!Array.isArray(known)) return adapted
  return { ...adapted, tsType: `${known.map((name) => `'${name}'`).join(' | ')} | (string & {})` }
}
