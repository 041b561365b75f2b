import { makeVisible, parseLink } from '../engine/text/visible-text.ts'
import { formatNetwork } from '../networks/format-network.ts'
import { parseAsn } from '../networks/parse-asn.ts'
import { CONFIDENCES, type ReportSite, type SitePart } from './site.ts'

/** Longer texts are cut. The engine's own texts are much shorter. */
const MAX_NAME_CHARACTERS = 300
const MAX_TERM_CHARACTERS = 100
/** Only the first ones of a site count. */
const MAX_TECHNOLOGIES = 500
const MAX_PARTS = 10
/**
 * Maximum number of different names of builders, technologies, versions and so on, which limits the memory; all rules
 * together have about 2,000.
 */
const MAX_TERMS = 50_000
const OTHER_TERMS = 'other names'

/** A line of scan results. */
export interface ParsedLine {
  /** The name of the site, as written in the line; null if there is none. */
  readonly entry: string | null
  readonly site: ReportSite
  /** Time of the scan in ISO 8601 and version of the rules; null without `--include meta`. */
  readonly scannedAt: string | null
  readonly ruleset: string | null
}

/** A line that is not a scan result; `message` says why. */
export class LineError extends Error {}

type LineFields = Readonly<Record<string, unknown>>

/** Reads lines of one file or several. Equal names of builders, technologies and so on share their memory. */
export class LineParser {
  readonly #aiNative: ReadonlySet<string>
  readonly #terms = new Map<string, string>()

  /** @param aiNative slugs of AI-native builders */
  constructor(aiNative: ReadonlySet<string>) {
    this.#aiNative = aiNative
  }

  /**
   * Reads a line: `{url or id, result}`, `{url, id or line, error, code}`, or a result alone, as the scan of one page prints it.
   * Unknown fields are ignored, and a field of the wrong type counts as absent.
   * @throws LineError for a line that is none of these
   */
  parse(text: string): ParsedLine {
    return this.read(parseObject(text))
  }

  /** Reads the fields of a line, like `parse`. @throws LineError */
  read(line: LineFields): ParsedLine {
    const { url, id, line: number, result, error, code, ...rest } = line
    const entry = [url, id].find((value): value is string => typeof value === 'string') ?? null
    const name = entry ?? (Number.isInteger(number) ? `line ${number}` : '')
    if (isObject(result)) return this.#readResult(entry, name, result)
    if (typeof error === 'string') {
      const failure = { code: this.#readTerm(code) ?? 'unknown', sentence: readText(error, MAX_NAME_CHARACTERS) ?? '' }
      const site = {
        ...NOTHING_FOUND,
        name: readText(name, MAX_NAME_CHARACTERS) ?? 'unnamed',
        link: findLink(entry),
        failure,
      }
      return { entry, site, ...readMeta(line.meta) }
    }
    if (Array.isArray(rest.technologies)) return this.#readResult(entry, name, line)
    throw new LineError('the line has neither a result nor an error')
  }

  #readResult(entry: string | null, name: string, result: LineFields): ParsedLine {
    const builder = this.#readTerm(result.builder)
    const { url, confidence, builderSlug } = result
    const site: ReportSite = {
      name: readText(name || url, MAX_NAME_CHARACTERS) ?? 'unnamed',
      link: findLink(url) ?? findLink(entry),
      failure: null,
      state: this.#readState(result.page),
      builder,
      isAiNative: builder === null ? null : this.#readAiNative(result.isAiNative, builderSlug),
      confidence: CONFIDENCES.find((level) => level === confidence) ?? null,
      hosting: this.#readTerm(result.hosting),
      ...this.#readAddress(result.infrastructure),
      siteType: this.#readTerm(result.siteType),
      technologies: this.#readTechnologies(result.technologies),
      parts: this.#readParts(result.parts),
      versions: this.#readVersions(result.versions),
      ended: this.#readEnded(result.details),
    }
    return { entry: entry ?? readEntry(url), site, ...readMeta(result.meta) }
  }

  #readState(page: unknown): string | null {
    const state = isObject(page) ? this.#readTerm(page.state) : null
    return state === 'site' ? null : state
  }

  #readAiNative(isAiNative: unknown, slug: unknown): boolean {
    return typeof isAiNative === 'boolean' ? isAiNative : typeof slug === 'string' && this.#aiNative.has(slug)
  }

  #readAddress(infrastructure: unknown): Pick<ReportSite, 'network' | 'reverseDns' | 'tlsError'> {
    const { network, reverseDns, tlsError } = isObject(infrastructure) ? infrastructure : {}
    const { name, asn } = isObject(network) ? network : {}
    const operator = readText(name, MAX_TERM_CHARACTERS)
    const number = parseAsn(asn)
    return {
      network: this.#readTerm(
        operator !== null && number !== null ? formatNetwork({ name: operator, asn: number }) : operator,
      ),
      reverseDns: readText(reverseDns, MAX_TERM_CHARACTERS),
      tlsError: this.#readTerm(tlsError),
    }
  }

  #readTechnologies(list: unknown): readonly string[] {
    if (!Array.isArray(list)) return []
    const names = list.slice(0, MAX_TECHNOLOGIES).flatMap((name: unknown) => this.#readTerm(name) ?? [])
    return [...new Set(names)]
  }

  /** Reads the pages after the first one, which the fields of the result describe. */
  #readParts(parts: unknown): readonly SitePart[] {
    if (!Array.isArray(parts)) return NO_PARTS
    const read = parts.slice(1, MAX_PARTS).flatMap((part: unknown) => {
      const { url, builder } = isObject(part) ? part : {}
      const name = readText(url, MAX_NAME_CHARACTERS)
      return name === null ? [] : [{ url: name, builder: this.#readTerm(builder) }]
    })
    return read.length === 0 ? NO_PARTS : read
  }

  /** Versions that a distribution may still patch do not count. */
  #readEnded(details: unknown): readonly string[] {
    if (!Array.isArray(details)) return NO_NAMES
    const names = details.slice(0, MAX_TECHNOLOGIES).flatMap((one: unknown) => {
      const { name, support } = isObject(one) ? one : {}
      const isEnded = isObject(support) && support.state === 'ended' && support.certain !== false
      return isEnded ? (this.#readTerm(name) ?? []) : []
    })
    return names.length === 0 ? NO_NAMES : [...new Set(names)]
  }

  #readVersions(versions: unknown): ReadonlyMap<string, string> {
    if (!isObject(versions)) return NO_VERSIONS
    const read = new Map<string, string>()
    for (const technology of Object.keys(versions).slice(0, MAX_TECHNOLOGIES)) {
      const name = this.#readTerm(technology)
      const version = this.#readTerm(versions[technology])
      if (name !== null && version !== null) read.set(name, version)
    }
    return read.size === 0 ? NO_VERSIONS : read
  }

  #readTerm(value: unknown): string | null {
    if (typeof value !== 'string') return null
    const known = this.#terms.get(value)
    if (known !== undefined) return known
    const term = readText(value, MAX_TERM_CHARACTERS)
    if (term === null) return null
    if (this.#terms.size >= MAX_TERMS) return this.#terms.get(term) ?? OTHER_TERMS
    this.#terms.set(term, this.#terms.get(term) ?? term)
    return term
  }
}

const NO_NAMES: readonly string[] = []
const NO_PARTS: readonly SitePart[] = []
const NO_VERSIONS: ReadonlyMap<string, string> = new Map()

const NOTHING_FOUND = {
  state: null,
  builder: null,
  isAiNative: null,
  confidence: null,
  hosting: null,
  network: null,
  reverseDns: null,
  tlsError: null,
  siteType: null,
  technologies: [],
  parts: NO_PARTS,
  versions: NO_VERSIONS,
  ended: [],
} as const satisfies Partial<ReportSite>

/** @throws LineError */
function parseObject(text: string): LineFields {
  let line: unknown
  try {
    line = JSON.parse(text)
  } catch {
    throw new LineError('the line is not valid JSON')
  }
  if (!isObject(line)) throw new LineError('the line is not a JSON object')
  return line
}

function isObject(value: unknown): value is LineFields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function readMeta(meta: unknown): Pick<ParsedLine, 'scannedAt' | 'ruleset'> {
  const { scannedAt, ruleset } = isObject(meta) ? meta : {}
  const isTime = typeof scannedAt === 'string' && /^\d{4}-\d\d-\d\dT[\d:.]{5,12}Z$/.test(scannedAt)
  return { scannedAt: isTime ? scannedAt : null, ruleset: readText(ruleset, 64) }
}

function readEntry(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null
}

/** Reads a text in one line; null for an empty one and for other values. */
function readText(value: unknown, maxCharacters: number): string | null {
  if (typeof value !== 'string') return null
  // Copied, because a part of a long text would keep all of it in memory.
  const part = value.length > 4 * maxCharacters ? Buffer.from(value.slice(0, 4 * maxCharacters)).toString() : value
  return makeVisible(part, maxCharacters) || null
}

const MAX_LINK_CHARACTERS = 2048

function findLink(url: unknown): string | null {
  return typeof url === 'string' && url.length <= MAX_LINK_CHARACTERS ? parseLink(url) : null
}
