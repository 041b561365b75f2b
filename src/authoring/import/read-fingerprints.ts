/** One technology as the file has it: keys and values are not checked yet. */
export interface Fingerprint {
  readonly name: string
  readonly data: Readonly<Record<string, unknown>>
}

/** The fingerprints of some files, and the names of their categories by number. */
export interface FingerprintSet {
  readonly fingerprints: readonly Fingerprint[]
  readonly categories: ReadonlyMap<number, string>
}

type FingerprintData = Readonly<Record<string, unknown>>

/** Keys of which a fingerprint has at least one. */
const KEYS = ['cats', 'website', 'headers', 'cookies', 'meta', 'scriptSrc', 'scripts', 'script', 'html', 'text', 'css']
const MORE_KEYS = ['url', 'dom', 'js', 'dns', 'certIssuer', 'robots', 'probe', 'xhr', 'implies', 'requires', 'excludes']

/**
 * Reads the data of JSON files: maps from names to fingerprints, below `technologies` or `apps` or at the top; lists of fingerprints
 * with a `name`; and maps from numbers to categories, below `categories` or at the top.
 * @throws TypeError for data that has none of these forms
 */
export function readFingerprints(files: readonly unknown[]): FingerprintSet {
  const fingerprints: Fingerprint[] = []
  const categories = new Map<number, string>()
  for (const file of files) readFile(file, fingerprints, categories)
  return { fingerprints, categories }
}

function readFile(file: unknown, fingerprints: Fingerprint[], categories: Map<number, string>): void {
  if (Array.isArray(file)) {
    for (const item of file) {
      if (!isData(item) || typeof item.name !== 'string') throw new TypeError('an item of the list has no `name`')
      fingerprints.push({ name: item.name, data: item })
    }
    return
  }
  if (!isData(file)) throw new TypeError('the file contains no fingerprints')
  const { technologies, apps, categories: named } = file
  if (isData(named)) readCategories(named, categories)
  const nested = isData(technologies) ? technologies : apps
  if (isData(nested)) readMap(nested, fingerprints)
  else if (isCategories(file)) readCategories(file, categories)
  else if (!isData(named)) readMap(file, fingerprints)
}

function readMap(map: FingerprintData, fingerprints: Fingerprint[]): void {
  for (const [name, data] of Object.entries(map)) {
    if (!isData(data) || ![...KEYS, ...MORE_KEYS].some((key) => key in data))
      throw new TypeError(`"${name}" is not a fingerprint: it has none of the keys ${KEYS.join(', ')}`)
    fingerprints.push({ name, data })
  }
}

function isCategories(map: FingerprintData): boolean {
  const entries = Object.entries(map)
  return (
    entries.length > 0 &&
    entries.every(
      ([key, value]) => /^\d+$/.test(key) && isData(value) && typeof value.name === 'string' && !('cats' in value),
    )
  )
}

function readCategories(map: FingerprintData, categories: Map<number, string>): void {
  for (const [number, category] of Object.entries(map))
    if (isData(category) && typeof category.name === 'string') categories.set(Number(number), category.name.trim())
}

/** Whether a value is a map. */
export function isData(value: unknown): value is FingerprintData {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** One value or a list as a list. */
export function listValues(value: unknown): readonly unknown[] {
  return value === undefined || value === null ? [] : Array.isArray(value) ? value : [value]
}
