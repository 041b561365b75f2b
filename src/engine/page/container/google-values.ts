/** A variable of a container: `{"function":"__c","vtp_value":"G-0A1B2C"}`. */
export type GoogleMacro = Readonly<Record<string, unknown>>

/** What stands for the value of a variable that only a browser knows. */
const UNKNOWN_VALUE = '0'
/** Maximum length of a constant that is inserted: a template can insert it any number of times. */
const MAX_CONSTANT_CHARACTERS = 200
/** Templates of real containers nest three levels deep. */
const MAX_DEPTH = 6

/** Reads a text of a tag: a string, or a template of strings and variables. */
export function readTemplate(value: unknown, macros: readonly GoogleMacro[], depth = 0): string {
  if (typeof value === 'string') return value
  if (!Array.isArray(value) || depth > MAX_DEPTH) return ''
  const [kind, ...parts] = value as unknown[]
  if (kind === 'template') return parts.map((part) => readTemplate(part, macros, depth + 1)).join('')
  if (kind === 'escape') return readTemplate(parts[0], macros, depth + 1)
  return kind === 'macro' ? readConstant(macros[Number(parts[0])]) : ''
}

function readConstant(macro: GoogleMacro | undefined): string {
  const value = macro?.function === '__c' ? macro.vtp_value : undefined
  return typeof value === 'string' && value.length <= MAX_CONSTANT_CHARACTERS ? value : UNKNOWN_VALUE
}
