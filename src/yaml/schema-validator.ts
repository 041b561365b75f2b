import { createRequire } from 'node:module'
import type { Ajv, ErrorObject, ValidateFunction } from 'ajv'
import { buildYamlFinding, type YamlFinding } from './finding.ts'
import { findClosest, formatHint } from './hint.ts'
import type { Path, SourceFile } from './source-file.ts'
import type { JsonSchema } from './typed-schema.ts'

/** A schema error as a finding. */
export interface SchemaFinding {
  /** Path of the value, or of the unknown key. */
  readonly path: Path
  readonly finding: YamlFinding
  /** For an unknown key: JSON pointer of the key that was probably meant. */
  readonly meant?: string
}

interface ValidatorOptions {
  /** Whether text is converted to the type that the schema requires. Needed for YAML that was read as `failsafe`. */
  readonly coerceTypes?: boolean
  /** Unknown key → what to write instead, for keys of other rule formats. */
  readonly foreignKeys?: Readonly<Record<string, string>>
}

/** An error about an unknown key lists the known keys if there are at most this many. */
const MAX_LISTED_KEYS = 5

/** Validates YAML files against one schema and reports every error at its position. */
export class SchemaValidator {
  readonly #schema: JsonSchema
  readonly #coerceTypes: boolean
  readonly #foreignKeys: ReadonlyMap<string, string>
  #validate: ValidateFunction | undefined

  constructor(schema: JsonSchema, { coerceTypes = true, foreignKeys = {} }: ValidatorOptions = {}) {
    this.#schema = schema
    this.#coerceTypes = coerceTypes
    this.#foreignKeys = new Map(Object.entries(foreignKeys))
  }

  /** Checks `file.data` and coerces it in place. */
  check(file: SourceFile): SchemaFinding[] {
    // Compiled now, because most processes check files against few of the schemas.
    this.#validate ??= compileSchema(this.#schema, this.#coerceTypes)
    if (this.#validate(file.data)) return []
    // Ajv reports a bad key twice: by what is wrong with it, and as `propertyNames`, which names the key.
    const errors = (this.#validate.errors ?? []).filter(({ propertyName }) => propertyName === undefined)
    const misspelled = new Set(errors.flatMap((error) => findMeantKey(error) ?? []))
    // A misspelled key is not also reported as missing.
    const reported = errors.filter(
      ({ keyword, instancePath, params }) =>
        keyword !== 'required' || !misspelled.has(`${instancePath}/${params.missingProperty}`),
    )
    // The last error of a value is the most specific one: for a value that is neither text nor a list, that of the
    // list.
    const byValue = new Map(reported.map((error) => [formatSubject(error), error]))
    return [...byValue.values()].map((error) => {
      const meant = findMeantKey(error)
      const path = [...parsePointer(error.instancePath), ...findBadKey(error)]
      return { path, finding: buildSchemaFinding(error, file, this.#foreignKeys), ...(meant && { meant }) }
    })
  }
}

/** Loaded on first use, because most commands validate nothing. */
function loadAjv(): typeof Ajv {
  return (createRequire(import.meta.url)('ajv') as { readonly Ajv: typeof Ajv }).Ajv
}

function compileSchema(schema: JsonSchema, coerceTypes: boolean): ValidateFunction {
  const AjvClass = loadAjv()
  const ajv = new AjvClass({
    allErrors: true,
    coerceTypes,
    allowUnionTypes: true,
    strictTypes: false,
    verbose: true,
    formats: { date: isDate },
    code: { optimize: false }, // Optimizing the code of a validator takes longer than running it on all rules.
    inlineRefs: false,
    validateSchema: false, // The schemas are ours. Compiling the meta-schema takes longer than compiling most of them.
  })
  return ajv.compile(schema)
}

/** The key that an error is about, if it is about a key and not about a value. */
function findBadKey({ keyword, params }: ErrorObject): string[] {
  if (keyword === 'additionalProperties') return [String(params.additionalProperty)]
  return keyword === 'propertyNames' ? [String(params.propertyName)] : []
}

/** Identifies what an error is about: a value, a bad key or a missing key. */
function formatSubject(error: ErrorObject): string {
  return `${error.instancePath}/${findBadKey(error)[0] ?? error.params.missingProperty ?? ''}`
}

/** JSON pointer of the key that an unknown key probably means. */
function findMeantKey({ keyword, instancePath, params, parentSchema }: ErrorObject): string | undefined {
  if (keyword !== 'additionalProperties') return undefined
  const key = findClosest(String(params.additionalProperty), Object.keys(parentSchema?.properties ?? {}))
  return key && `${instancePath}/${key}`
}

function buildSchemaFinding(
  error: ErrorObject,
  file: SourceFile,
  foreignKeys: ReadonlyMap<string, string>,
): YamlFinding {
  const { keyword, params, parentSchema = {}, schema } = error
  const path = parsePointer(error.instancePath)
  const [badKey] = findBadKey(error)
  if (keyword === 'additionalProperties') {
    const known = Object.keys(parentSchema.properties ?? {})
    const foreign = foreignKeys.get(badKey)
    return buildYamlFinding('unknown-key', file.keyAt([...path, badKey]), {
      key: badKey,
      hint: badKey.startsWith('<')
        ? '; a line of HTML that is indented less than the first one ends the text'
        : foreign
          ? `; ${foreign}`
          : formatHint(badKey, known) || formatKnownKeys(known),
    })
  }
  if (keyword === 'propertyNames') {
    const wanted = String((schema as JsonSchema).title ?? 'another one')
    return buildYamlFinding('bad-value', file.keyAt([...path, badKey]), { key: `the key "${badKey}"`, wanted })
  }
  if (keyword === 'required') {
    const where = path.length > 0 ? ` in ${findLastKey(path)}` : ''
    return buildYamlFinding('missing-key', file.valueAt(path), { key: String(params.missingProperty), where })
  }
  const value = String(params.allowedValues ? file.textAt(path) : '')
  return buildYamlFinding('bad-value', file.valueAt(path), {
    key: path.length > 0 ? formatValueName(path) : 'the file',
    wanted: describeWanted(keyword, schema, parentSchema),
    hint: value ? formatHint(value, params.allowedValues as string[]) : '',
  })
}

function formatKnownKeys(known: readonly string[]): string {
  return known.length === 0 || known.length > MAX_LISTED_KEYS ? '' : `; use ${known.join(' or ')}`
}

/** The last key on a path: for an item of a list, the key of the list. */
function findLastKey(path: Path): string {
  return String(path.findLast((step) => typeof step === 'string') ?? 'this')
}

function formatValueName(path: Path): string {
  return typeof path[path.length - 1] === 'number' ? `an item of ${findLastKey(path)}` : findLastKey(path)
}

const TYPE_NAMES: Readonly<Record<string, string>> = {
  string: 'text',
  array: 'a list',
  object: 'a mapping (key: value)',
  boolean: 'true or false',
  integer: 'a whole number',
  number: 'a number',
}

function describeWanted(keyword: string, schema: unknown, parent: Readonly<Record<string, unknown>>): string {
  if (keyword === 'enum') return `one of ${(schema as string[]).join(', ')}`
  if (keyword === 'const') return String(schema)
  // The title of a schema with `$schema` names the kind of document, not a value.
  if (typeof parent.title === 'string' && parent.$schema === undefined) return parent.title
  if (keyword === 'minLength' || keyword === 'minItems' || keyword === 'minProperties') return 'set, but it is empty'
  if (keyword === 'minimum') return `${schema} or more`
  if (keyword === 'maximum') return `${schema} or less`
  return [schema]
    .flat()
    .map((type) => TYPE_NAMES[String(type)] ?? String(type))
    .join(' or ')
}

/** Whether a text is an existing calendar day in the form YYYY-MM-DD. */
function isDate(text: string): boolean {
  const [, month, day] = /^\d{4}-(\d\d)-(\d\d)$/.exec(text) ?? []
  if (month === undefined) return false
  const date = new Date(text)
  return date.getUTCMonth() + 1 === Number(month) && date.getUTCDate() === Number(day)
}

function parsePointer(pointer: string): (string | number)[] {
  const steps = pointer.split('/').slice(1)
  return steps.map((step) => (/^\d+$/.test(step) ? Number(step) : step.replaceAll('~1', '/').replaceAll('~0', '~')))
}
