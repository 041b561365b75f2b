import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv'
import type { Path, SourceFile } from '../yaml/source-file.ts'
import { type Finding, finding } from './findings.ts'
import { closest, hint } from './hint.ts'
import type { JsonSchema } from './schema.ts'

/** A finding, and the path of the value (or of the unknown key) it is about. */
export interface Fault {
  readonly path: Path
  readonly finding: Finding
  /** Of an unknown key: pointer of the key it may stand for. */
  readonly meant?: string
}

/** A validator of one schema: it coerces what YAML leaves as text, and reports every fault at its place. */
export class Validator {
  readonly #validate: ValidateFunction

  constructor(schema: JsonSchema) {
    const ajv = new Ajv({
      allErrors: true,
      coerceTypes: true,
      allowUnionTypes: true,
      strictTypes: false,
      verbose: true,
      formats: { date: isDate },
    })
    this.#validate = ajv.compile(schema)
  }

  /** Checks and coerces `file.data` in place. */
  check(file: SourceFile): Fault[] {
    if (this.#validate(file.data)) return []
    const errors = this.#validate.errors ?? []
    const misspelt = new Set(errors.flatMap((error) => meantBy(error) ?? []))
    // A key that is only misspelt is not missing as well.
    const told = errors.filter(
      ({ keyword, instancePath, params }) =>
        keyword !== 'required' || !misspelt.has(`${instancePath}/${params.missingProperty}`),
    )
    // Of a value the last fault is the narrowest: of one that is no text and none of a list, the list.
    const values = new Map(told.map((error) => [pointerOf(error), error]))
    return [...values.values()].map((error) => {
      const path = readPointer(error.instancePath)
      const key = error.keyword === 'additionalProperties' ? [String(error.params.additionalProperty)] : []
      const meant = meantBy(error)
      return { path: [...path, ...key], finding: toFinding(error, file), ...(meant && { meant }) }
    })
  }
}

/** What a fault is about: a value, an unknown key or a missing one. */
function pointerOf({ instancePath, params }: ErrorObject): string {
  return `${instancePath}/${params.additionalProperty ?? params.missingProperty ?? ''}`
}

/** Pointer of the key that an unknown one may stand for. */
function meantBy({ keyword, instancePath, params, parentSchema }: ErrorObject): string | undefined {
  if (keyword !== 'additionalProperties') return undefined
  const key = closest(String(params.additionalProperty), Object.keys(parentSchema?.properties ?? {}))
  return key && `${instancePath}/${key}`
}

function toFinding({ instancePath, keyword, params, parentSchema, schema }: ErrorObject, file: SourceFile): Finding {
  const path = readPointer(instancePath)
  if (keyword === 'additionalProperties') {
    const key = String(params.additionalProperty)
    return finding('unknown-key', file.keyAt([...path, key]), {
      key,
      hint: hint(key, Object.keys(parentSchema?.properties ?? {})),
    })
  }
  if (keyword === 'required') {
    const where = path.length > 0 ? ` in ${nameOf(path)}` : ''
    return finding('missing-key', file.valueAt(path), { key: String(params.missingProperty), where })
  }
  const value = String(params.allowedValues ? file.textAt(path) : '')
  return finding('bad-value', file.valueAt(path), {
    key: path.length > 0 ? valueName(path) : 'the file',
    wanted: wantedBy(keyword, schema, parentSchema ?? {}),
    hint: value ? hint(value, params.allowedValues as string[]) : '',
  })
}

/** The last key on a path: of a list's item, the list's. */
function nameOf(path: Path): string {
  return String(path.findLast((step) => typeof step === 'string') ?? 'this')
}

/** What a value is called: of a list's item, an item of the list. */
function valueName(path: Path): string {
  return typeof path[path.length - 1] === 'number' ? `an item of ${nameOf(path)}` : nameOf(path)
}

const TYPES: Readonly<Record<string, string>> = {
  string: 'text',
  array: 'a list',
  object: 'a mapping (key: value)',
  boolean: 'true or false',
  integer: 'a whole number',
  number: 'a number',
}

function wantedBy(keyword: string, schema: unknown, parent: Readonly<Record<string, unknown>>): string {
  if (keyword === 'enum') return `one of ${(schema as string[]).join(', ')}`
  if (keyword === 'const') return String(schema)
  if (typeof parent.title === 'string' && keyword !== 'type') return parent.title
  if (keyword === 'minLength' || keyword === 'minItems' || keyword === 'minProperties') return 'something: it is empty'
  if (keyword === 'minimum') return `${schema} or more`
  if (keyword === 'maximum') return `${schema} or less`
  return [schema]
    .flat()
    .map((type) => TYPES[String(type)] ?? String(type))
    .join(' or ')
}

/** Whether a text is a day that the calendar has, YYYY-MM-DD. */
function isDate(text: string): boolean {
  const day = /^\d{4}-\d\d-\d\d$/.test(text) ? new Date(text) : null
  return day !== null && !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text)
}

function readPointer(pointer: string): (string | number)[] {
  const steps = pointer.split('/').slice(1)
  return steps.map((step) => (/^\d+$/.test(step) ? Number(step) : step.replaceAll('~1', '/').replaceAll('~0', '~')))
}
