import fc from 'fast-check'

/** JSON of a value of each type, and of an object that cannot be converted to a string or number. */
const TYPES = ['null', 'true', '7', '"x"', '[]', '{"toString":0}']
/** JSON of values that code may use as if they had another type: without their methods, with a prototype, or extreme. */
const HOSTILE = [
  ...TYPES,
  ...['0', '-1', '1.5', '1e999', '9007199254740993', '"0"', '""', '"__proto__"', '"\\u0000"', '"\\ud800"'],
  ...['"constructor"', '"2026-13-45"', '[[]]', '[null]', '["x"]', '[{"toString":0}]', '{}', '{"__proto__":{"a":1}}'],
  ...['{"toString":null,"valueOf":0}', '{"__proto__":null}', '{"constructor":null}', '{"length":3}', '{"length":-1}'],
  ...['{"then":0}', '{"toJSON":0}', '{"0":"x","length":1}'],
]
const KEYS = [
  '__proto__',
  'constructor',
  'toString',
  'valueOf',
  'length',
  'hasOwnProperty',
  'toJSON',
  'then',
  '',
  'x',
  '0',
]

type Path = readonly (string | number)[]
type Branch = Record<string | number, unknown>

/** Lists the paths of all values inside of a value, and its own. */
function listPaths(value: unknown, path: Path = []): readonly Path[] {
  if (typeof value !== 'object' || value === null) return [path]
  const keys = Array.isArray(value) ? value.keys() : Object.keys(value)
  return [path, ...[...keys].flatMap((key) => listPaths((value as Branch)[key], [...path, key]))]
}

const isObject = (value: unknown): value is Branch => typeof value === 'object' && value !== null

const change = fc.record({
  kind: fc.constantFrom('replace', 'replace', 'replace', 'remove', 'add'),
  at: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
  key: fc.constantFrom(...KEYS),
  value: fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...HOSTILE) }, fc.json({ maxDepth: 2 })),
})

type Change = Omit<typeof change extends fc.Arbitrary<infer T> ? T : never, 'value'>

/** Applies a change. The new value is a placeholder, because JSON can contain keys that an assignment treats differently. */
function apply(root: Branch, { kind, at, key }: Change, placeholder: string): void {
  const paths = listPaths(root.value)
  const path = ['value', ...paths[Math.floor(at * paths.length)]]
  const last = path[path.length - 1]
  const parent = path.slice(0, -1).reduce<Branch>((inner, step) => inner[step] as Branch, root)
  const value = parent[last]
  if (kind === 'add' && isObject(value) && !Array.isArray(value))
    Object.defineProperty(value, key, { value: placeholder, enumerable: true, configurable: true, writable: true })
  else if (kind === 'remove' && path.length > 1 && !Array.isArray(parent)) delete parent[last]
  else parent[last] = placeholder
}

/** Formats a value whose placeholders are replaced with JSON. */
function formatDamaged(value: unknown, texts: readonly string[]): string {
  return texts.reduce((text, one, i) => text.replaceAll(`"\\u0001${i}"`, () => one), JSON.stringify(value))
}

/**
 * Lists the JSON of a value in which one value is replaced with one of each other type. Readers of foreign JSON are tested
 * with it: they must not depend on a type that they have not checked.
 */
export function listDamaged(valid: unknown): readonly string[] {
  const { length } = listPaths(valid)
  return Array.from({ length }, (_, i) => {
    const root = { value: structuredClone(valid) }
    apply(root, { kind: 'replace', at: i / length + 0.5 / length, key: '' }, '\u00010')
    return TYPES.map((text) => formatDamaged(root.value, [text]))
  }).flat()
}

/** Generates the JSON of a value with one to three changes: values are removed, added, or replaced by others of any type. */
export function damageJson(valid: unknown): fc.Arbitrary<string> {
  return fc.array(change, { minLength: 1, maxLength: 3 }).map((changes) => {
    const root = { value: structuredClone(valid) }
    for (const [i, one] of changes.entries()) apply(root, one, `\u0001${i}`)
    return formatDamaged(
      root.value,
      changes.map(({ value }) => value),
    )
  })
}
