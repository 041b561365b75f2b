import { findMaxWeight, type Places, readClause } from '../../engine/rule/clause.ts'
import type { Weight } from '../../engine/rule/place.ts'
import { splitSelector } from '../../engine/rule/selector.ts'
import type { ClauseSource } from '../../engine/rule/types.ts'
import { checkWord } from '../../rules/checks/word-checks.ts'
import type { PatternJudge } from '../../rules/patterns/pattern-judge.ts'
import { findBetterPlace, findLocator } from './better-places.ts'
import { type FittedPattern, fitPattern, splitAlternatives } from './fit-pattern.ts'
import { buildNote, type ImportNote, type NoteReason } from './import-notes.ts'
import { parsePattern, type TaggedPattern } from './parse-pattern.ts'
import { type Fingerprint, isData, listValues } from './read-fingerprints.ts'
import { findRequiredLiterals } from './required-literals.ts'

/** A clause, and the pattern that it was made from. */
export interface ImportedClause {
  readonly clause: ClauseSource
  /** 0 to 100. */
  readonly confidence: number
}

/** What the clauses of one fingerprint need. */
export interface ClauseContext {
  readonly places: Places
  readonly judge: PatternJudge
}

/** Number of characters of a literal that the index needs, in texts and in whole files. */
const MIN_LITERAL = 3
const MIN_FILE_LITERAL = 5
const DNS_TYPES = ['a', 'aaaa', 'cname', 'ns', 'mx', 'soa', 'txt', 'ptr']
/** Place → the names that it can have. */
const NAMES: Readonly<Record<string, RegExp>> = {
  header: /^[^\s:*]+$/,
  cookie: /^[^\s=;*]{3,}\*?$|^[^\s=;*]+$/,
  meta: /^[^\s*]+$/,
}
/** Keys whose values no place sees. */
const UNSEEN: Readonly<Record<string, NoteReason>> = {
  js: 'no-place-global',
  env: 'no-place-global',
  probe: 'no-place-probe',
  xhr: 'no-place-request',
}
/** Keys that describe the product for readers. */
const NOT_USED = ['icon', 'cpe', 'pricing', 'saas', 'oss']
/** Keys that do not become clauses. */
const OTHER_KEYS = ['name', 'cats', 'website', 'description', 'implies', 'requires', 'requiresCategory', 'excludes']

/** Builds the clauses of a fingerprint. */
export class ClauseBuilder {
  readonly notes: ImportNote[] = []
  readonly clauses: ImportedClause[] = []
  readonly #name: string
  readonly #context: ClauseContext

  constructor({ name, data }: Fingerprint, context: ClauseContext) {
    this.#name = name
    this.#context = context
    for (const [key, value] of Object.entries(data)) this.#readKey(key, value)
  }

  #readKey(key: string, value: unknown): void {
    if (OTHER_KEYS.includes(key)) return
    const reader = this.#readers[key]
    if (reader !== undefined) reader(key, value)
    else if (NOT_USED.includes(key)) this.#note({ key, value }, 'not-used')
    else if (Object.hasOwn(UNSEEN, key)) this.#noteEach(key, value, UNSEEN[key])
    else this.#note({ key, value }, 'unknown-key')
  }

  /** Key → what reads its value. */
  readonly #readers: Readonly<Record<string, (key: string, value: unknown) => void>> = {
    headers: (key, value) => this.#readNamed(key, value, 'header'),
    cookies: (key, value) => this.#readNamed(key, value, 'cookie'),
    meta: (key, value) => this.#readNamed(key, value, 'meta'),
    dns: (key, value) => this.#readDns(key, value),
    certIssuer: (key, value) => this.#each(key, value, (at, one) => this.#addValue(at, one, { tls: 'issuer' })),
    url: (key, value) => this.#each(key, value, (at, one) => this.#addUrl(at, one)),
    scriptSrc: (key, value) => this.#each(key, value, (at, one) => this.#addScript(at, one)),
    script: (key, value) => this.#each(key, value, (at, one) => this.#addScript(at, one)),
    scripts: (key, value) => this.#each(key, value, (at, one) => this.#addCode(at, one, ['inline', 'bundle'])),
    css: (key, value) => this.#each(key, value, (at, one) => this.#addCode(at, one, ['style', 'stylesheet'])),
    html: (key, value) => this.#each(key, value, (at, one) => this.#addHtml(at, one)),
    text: (key, value) => this.#each(key, value, (at, one) => this.#addText(at, one, 'text')),
    robots: (key, value) => this.#each(key, value, (at, one) => this.#addText(at, one, 'robots')),
    dom: (key, value) => this.#readDom(key, value),
  }

  #note(at: { readonly key: string; readonly value: unknown }, reason: NoteReason, detail = ''): void {
    this.notes.push(buildNote({ rule: this.#name, ...at }, reason, detail))
  }

  #noteEach(key: string, value: unknown, reason: NoteReason): void {
    if (!isData(value)) for (const one of listValues(value)) this.#note({ key, value: one }, reason)
    else for (const [name, one] of Object.entries(value)) this.#note({ key: `${key}.${name}`, value: one }, reason)
  }

  /** Reads a pattern or a list of patterns. */
  #each(key: string, value: unknown, add: (at: PatternPlace, pattern: TaggedPattern) => void): void {
    for (const one of listValues(value)) {
      const at = { key, value: one }
      if (typeof one !== 'string' && typeof one !== 'number') {
        this.#note(at, 'bad-value')
        continue
      }
      const pattern = parsePattern(one)
      for (const tag of pattern.unknownTags) this.#note(at, 'unknown-tag', tag)
      try {
        for (const part of this.#split(pattern)) add(at, part)
      } catch (error) {
        if (!(error instanceof SyntaxError)) throw error
        this.#note(at, 'bad-pattern', error.message.replace(/^Invalid regular expression: /, ''))
      }
    }
  }

  /** Splits a pattern that would have to be cut at its alternatives: some of them may be accepted as they are. */
  #split(pattern: TaggedPattern): readonly TaggedPattern[] {
    const parts = splitAlternatives(pattern.source)
    if (parts.length === 1) return [pattern]
    const fitted = fitPattern(pattern.source, pattern.version !== undefined, this.#context.judge)
    if (fitted !== null && fitted.cut === undefined) return [pattern]
    const { version, ...rest } = pattern
    // Only the first alternative has the numbers of the whole pattern.
    return parts.map((source, i) => ({ ...rest, source, ...(i === 0 && version !== undefined && { version }) }))
  }

  /** Reads a map from names to patterns. */
  #readNamed(key: string, value: unknown, place: string): void {
    if (!isData(value)) this.#note({ key, value }, 'bad-value')
    else
      for (const [name, patterns] of Object.entries(value)) {
        const word = name.trim().toLowerCase()
        if (NAMES[place].test(word))
          this.#each(`${key}.${name}`, patterns, (at, one) => this.#addValue(at, one, { [place]: word }))
        else this.#note({ key: `${key}.${name}`, value: patterns }, 'bad-value')
      }
  }

  #readDns(key: string, value: unknown): void {
    if (!isData(value)) this.#note({ key, value }, 'bad-value')
    else
      for (const [name, patterns] of Object.entries(value)) {
        const type = name.toLowerCase()
        if (DNS_TYPES.includes(type))
          this.#each(`${key}.${name}`, patterns, (at, one) => this.#addValue(at, one, { dns: type }))
        else this.#note({ key: `${key}.${name}`, value: patterns }, 'dns-type')
      }
  }

  /** Reads `dom`: a selector, a list of selectors, or a map from selectors to what is asked of the elements. */
  #readDom(key: string, value: unknown): void {
    if (!isData(value)) {
      for (const one of listValues(value))
        if (typeof one !== 'string') this.#note({ key, value: one }, 'bad-value')
        else {
          const { source, ...tags } = parsePattern(one)
          this.#addElements({ key, value: one }, source, { source: '', ...tags })
        }
      return
    }
    for (const [selector, asked] of Object.entries(value))
      for (const one of listValues(asked))
        if (isData(one)) this.#readAsked(`${key}.${selector}`, selector, one)
        else if (typeof one === 'string')
          this.#each(`${key}.${selector}`, one, (at, pattern) => this.#addElements(at, selector, pattern))
        else this.#note({ key: `${key}.${selector}`, value: one }, 'bad-value')
  }

  #readAsked(key: string, selector: string, asked: Readonly<Record<string, unknown>>): void {
    for (const [what, value] of Object.entries(asked))
      if (what === 'exists')
        this.#each(`${key}.exists`, value, (at, one) => this.#addElements(at, selector, { ...one, source: '' }))
      else if (what === 'text') this.#each(`${key}.text`, value, (at, one) => this.#addElements(at, selector, one))
      else if (what === 'attributes' && isData(value))
        for (const [attr, patterns] of Object.entries(value))
          this.#each(`${key}.attributes.${attr}`, patterns, (at, one) => this.#addElements(at, selector, one, attr))
      else if (what === 'properties') this.#noteEach(`${key}.properties`, value, 'no-place-property')
      else this.#note({ key: `${key}.${what}`, value }, 'bad-value')
  }

  /** Adds a clause on elements. Of a list of selectors, those that are supported are kept. */
  #addElements(at: PatternPlace, selector: string, pattern: TaggedPattern, attr?: string): void {
    const place = this.#context.places.get('element')
    if (place === undefined) return
    const kept: string[] = []
    for (const one of splitList(selector)) {
      const text = quoteValues(one)
      const problem = checkWord(text, place)
      if (problem === null) kept.push(text)
      else this.#note(at, 'bad-selector', problem.details.reason?.replace(/; supported are.*$/s, '') ?? one)
    }
    if (kept.length === 0) return
    this.#addValue(at, pattern, { element: kept.join(', '), ...(attr !== undefined && { attr }) })
  }

  /** Adds a clause whose word is the name of a value, and whose tests are those of the pattern. */
  #addValue(at: PatternPlace, pattern: TaggedPattern, clause: ClauseSource): void {
    const fitted = this.#fit(at, pattern)
    if (fitted === null) this.#note(at, 'no-proof')
    else this.#add(at, pattern, { ...clause, ...this.#buildTests(at, pattern, fitted) })
  }

  #addUrl(at: PatternPlace, pattern: TaggedPattern): void {
    const locator = pattern.version === undefined ? findLocator(pattern.source) : null
    if (locator !== null) this.#add(at, pattern, { url: locator })
    else this.#addValue(at, pattern, { url: '/*' })
  }

  #addScript(at: PatternPlace, pattern: TaggedPattern): void {
    const locator = pattern.version === undefined ? findLocator(pattern.source) : null
    if (locator !== null) this.#add(at, pattern, { script: locator })
    else this.#addValue(at, pattern, { element: 'script[src]', attr: 'src' })
  }

  #addHtml(at: PatternPlace, pattern: TaggedPattern): void {
    const better = findBetterPlace(pattern.source)
    const inner = { ...pattern, source: better?.source ?? '' }
    if (better?.place === 'element') this.#addElements(at, better.word ?? '', inner, better.attr)
    else if (better !== null && this.#hasLiteral(inner.source)) this.#addText(at, inner, better.place)
    else this.#addText(at, pattern, 'html')
  }

  #hasLiteral(source: string): boolean {
    return findRequiredLiterals(source, MIN_LITERAL) !== null
  }

  /** Adds a clause on a text: a literal that the pattern requires, and the pattern. */
  #addText(at: PatternPlace, pattern: TaggedPattern, place: string): void {
    const clause = this.#buildText(at, pattern, { place, least: MIN_LITERAL })
    if (clause !== null) this.#add(at, pattern, clause)
  }

  /** Adds a clause on code that the page contains or loads from its own site. */
  #addCode(at: PatternPlace, pattern: TaggedPattern, [inPage, inFile]: readonly [string, string]): void {
    const own = this.#buildText(at, pattern, { place: inPage, least: MIN_LITERAL })
    if (own === null) return
    const place = this.#context.places.get(inFile)
    const before = this.notes.length
    const other = this.#buildText(at, pattern, { place: inFile, least: MIN_FILE_LITERAL })
    this.notes.length = before
    const words = other === null ? [] : listValues(other[inFile])
    const isRare =
      place !== undefined && words.length > 0 && words.every((word) => checkWord(String(word), place) === null)
    if (other !== null && isRare && !/[\^$]/.test(String(other.match ?? '').replace(/\\.|\[\^/g, ''))) {
      this.#add(at, pattern, { any: [own, other] })
      return
    }
    this.#note(at, 'files-of-others')
    this.#add(at, pattern, own)
  }

  #buildText(
    at: PatternPlace,
    pattern: TaggedPattern,
    { place, least }: { readonly place: string; readonly least: number },
  ): ClauseSource | null {
    const fitted = this.#fit(at, pattern)
    if (fitted === null) {
      this.#note(at, 'no-proof')
      return null
    }
    const { is, has, match } = fitted
    const isLong = has?.every((one) => one.length >= least) === true
    const words = isLong ? has : is !== undefined ? [is] : findRequiredLiterals(match ?? '', least)
    if (words === undefined || words === null || words.some((word) => word.trim().length < least)) {
      this.#note(at, 'no-literal', String(least))
      return null
    }
    const { has: _, ...rest } = fitted
    const tests = this.#buildTests(at, pattern, isLong ? rest : fitted)
    return { [place]: words.length === 1 ? words[0] : words, ...tests }
  }

  #fit(at: PatternPlace, { source, version }: TaggedPattern): FittedPattern | null {
    const fitted = fitPattern(source, version !== undefined && /\\\d/.test(version), this.#context.judge)
    if (fitted?.cut !== undefined) this.#note(at, 'cut-pattern', fitted.cut)
    return fitted
  }

  #buildTests(at: PatternPlace, { version }: TaggedPattern, { is, has, match, group }: FittedPattern): ClauseSource {
    return {
      ...(is !== undefined && { is }),
      ...(has !== undefined && { has: has.length === 1 ? has[0] : has }),
      ...(match !== undefined && { match }),
      ...(version !== undefined && this.#buildVersion(at, version, { match, group })),
    }
  }

  /** Builds the version: the number of a group where that is enough, or else the template. */
  #buildVersion(
    at: PatternPlace,
    template: string,
    { match, group }: Pick<FittedPattern, 'match' | 'group'>,
  ): ClauseSource {
    const groups = match === undefined ? 0 : (new RegExp(`${match}|`).exec('')?.length ?? 1) - 1
    let isLost = false
    const renumbered = template.replace(/\\(\d)/g, (_, old: string) => {
      const number = group?.(Number(old)) ?? null
      if (number === null || number > groups || number < 1) isLost = true
      return `\\${number}`
    })
    if (isLost) {
      this.#note(at, 'version')
      return {}
    }
    const [, alone] = /^\\(\d)(?:\?\\\1:)?$/.exec(renumbered) ?? []
    return alone === undefined ? { versionText: renumbered } : { version: Number(alone) }
  }

  #add(at: PatternPlace, { confidence }: TaggedPattern, clause: ClauseSource): void {
    const weight: Weight = confidence >= 100 ? 'strong' : confidence >= 50 ? 'medium' : 'weak'
    if (weight === 'weak') this.#note(at, 'weak-pattern', String(confidence))
    const isDefault = findMaxWeight(readClause(clause, this.#context.places)) === weight
    this.clauses.push({ clause: isDefault ? clause : { ...clause, weight }, confidence })
  }
}

/** The key of a pattern, and its value as written. */
interface PatternPlace {
  readonly key: string
  readonly value: unknown
}

/** Splits a list of selectors; one that cannot be read stays whole. */
function splitList(selector: string): readonly string[] {
  try {
    return splitSelector(selector)
  } catch {
    return selector.includes(',') ? selector.split(',').map((one) => one.trim()) : [selector]
  }
}

/** Quotes values of attributes that browsers require to be quoted: `[src*=acme.js]`. */
function quoteValues(selector: string): string {
  return selector.replace(/\[([\w-]{1,50})([~|^$*]?=)([^\]"'\s]{1,200})\]/g, '[$1$2"$3"]').trim()
}
