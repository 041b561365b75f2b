import { EVENT_ID, type Event, getScalarValue, parseEvents, SCALAR_STYLE, type ScalarEvent } from 'js-yaml'

/** A list or mapping that is being read. `key` is the key of a mapping whose value comes next. */
interface Open {
  readonly value: unknown[] | Record<string, unknown>
  key?: string | undefined
}

/**
 * Tabs, carriage returns, control characters, line breaks of other kinds, byte order marks, characters that replace invalid bytes,
 * and lines that begin like a document marker or a directive.
 */
const UNUSUAL = /[^\P{Cc}\n]|[\u2028\u2029\ufeff\ufffd]|^ *(?:---|\.\.\.|%)/mu
/** Maximum distance between the start of a key and its colon, in characters. YAML allows 1024. */
const MAX_KEY_LENGTH = 1000

/**
 * Reads YAML of the kind that nearly all files consist of, in half of the time that the `yaml` library needs; every scalar is text.
 * Plain are lists and mappings with scalars that are unquoted, quoted or a literal block (`|`), without anchors, aliases, tags,
 * empty values, duplicate keys, and scalars of several lines other than literal blocks. Of such text both libraries read the same.
 * @returns undefined if the text is not plain or not valid: the `yaml` library has to read it
 */
export function readPlainYaml(text: string, maxDepth: number): unknown {
  if (UNUSUAL.test(text)) return undefined
  try {
    return buildData(text, parseEvents(text, {}), maxDepth)
  } catch {
    return undefined
  }
}

/** Builds the data of one document, or returns undefined if any event is not plain. */
function buildData(text: string, events: readonly Event[], maxDepth: number): unknown {
  const open: Open[] = [{ value: [] }] // The document counts as a list of one value.
  const { value: documents } = open[0]
  for (const event of events.slice(1, -1)) {
    if (event.type === EVENT_ID.POP) {
      open.pop()
      continue
    }
    if (event.type === EVENT_ID.ALIAS || event.type === EVENT_ID.DOCUMENT) return undefined
    if (event.anchorStart >= 0 || event.tagStart >= 0) return undefined
    const parent = open[open.length - 1]
    if (event.type === EVENT_ID.SCALAR) {
      if (!isPlain(text, event)) return undefined
      if (!Array.isArray(parent.value) && parent.key === undefined && !isShortKey(text, event)) return undefined
      if (!add(parent, getScalarValue(text, event))) return undefined
      continue
    }
    const value = event.type === EVENT_ID.SEQUENCE ? [] : {}
    if (open.length > maxDepth || !add(parent, value)) return undefined
    open.push({ value })
  }
  const [data] = documents as readonly unknown[]
  return typeof data === 'object' ? data : undefined
}

/** Adds an item to a list, or a key or value to a mapping. Returns whether it is plain. */
function add(parent: Open, item: unknown): boolean {
  const { value, key } = parent
  if (Array.isArray(value)) value.push(item)
  else if (key !== undefined) {
    value[key] = item
    parent.key = undefined
  } else {
    if (typeof item !== 'string' || item === '__proto__' || Object.hasOwn(value, item)) return false
    parent.key = item
  }
  return true
}

/** Whether a scalar is a line without escapes, or a literal block whose first line is `|` alone. */
function isPlain(text: string, { style, valueStart, valueEnd }: ScalarEvent): boolean {
  if (valueStart < 0) return false
  if (style === SCALAR_STYLE.LITERAL_BLOCK) return text.startsWith('|\n', valueStart - 2)
  const written = text.slice(valueStart, valueEnd)
  return !written.includes('\n') && !(style === SCALAR_STYLE.DOUBLE_QUOTED && written.includes('\\'))
}

function isShortKey(text: string, { valueStart, valueEnd }: ScalarEvent): boolean {
  return text.indexOf(':', valueEnd) - valueStart <= MAX_KEY_LENGTH
}
