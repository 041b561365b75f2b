import {
  type ClauseNode,
  FOUND,
  findFamily,
  findMaxWeight,
  findPositive,
  isHeavier,
  type Places,
  readClause,
  toList,
} from '../engine/rule/clause.ts'
import type { Place } from '../engine/rule/place.ts'
import type { ClauseSource, Weight } from '../engine/rule/types.ts'
import type { Path, SourceFile } from '../yaml/source-file.ts'
import type { FoundRule } from './discover.ts'
import { type Finding, type FindingCode, finding } from './findings.ts'
import { checkPattern } from './patterns/pattern-checks.ts'
import type { PatternJudge } from './patterns/pattern-judge.ts'
import { CLAUSE_KEYS, GROUPS, TESTS } from './schema.ts'
import { checkLocator, checkWord, type WordFault } from './word-checks.ts'

const OF_URLS = 'a clause whose values are URLs or hosts'
const OF_MORE = 'a clause whose word is not the whole value'

/** Checks what no schema can say of one clause. What the schema has complained of is passed over: its fault is told. */
export class ClauseChecker {
  readonly findings: Finding[] = []
  readonly #found: FoundRule
  readonly #file: SourceFile
  readonly #places: Places
  readonly #faulty: readonly string[]
  readonly #judge: PatternJudge

  /** @param checks `faulty`: paths, as JSON, of what the schema has complained of */
  constructor(
    found: FoundRule,
    file: SourceFile,
    checks: { places: Places; faulty: readonly string[]; judge: PatternJudge },
  ) {
    this.#found = found
    this.#file = file
    this.#places = checks.places
    this.#faulty = checks.faulty
    this.#judge = checks.judge
  }

  check(source: ClauseSource, path: Path): void {
    const before = this.findings.length
    const isShaped = this.#checkShape(source, path, true)
    if (!isShaped || this.findings.length > before || this.#isFaulty(path, true)) return
    const node = readClause(source, this.#places)
    if (findFamily(node) === null) this.#add('nothing-positive', path, {})
    else if (this.#checkFamilies(node, source, path)) this.#checkWeight(node, source, path)
  }

  #add(code: FindingCode, path: Path, details: Record<string, string | number>, atKey = false): void {
    this.findings.push(finding(code, atKey ? this.#file.keyAt(path) : this.#file.valueAt(path), details))
  }

  /** @param below also when something inside it is */
  #isFaulty(path: Path, below = false): boolean {
    const here = JSON.stringify(path).slice(0, -1)
    return this.#faulty.some((fault) => fault === `${here}]` || (below && fault.startsWith(`${here},`)))
  }

  /** @returns whether the clause and all below it can be read */
  #checkShape(source: ClauseSource, path: Path, isTop: boolean): boolean {
    if (this.#isFaulty(path)) return false
    const groups = GROUPS.filter((key) => key in source)
    const places = Object.keys(source).filter((key) => this.#places.has(key))
    const named = [...groups, ...places]
    if (named.length === 0 && Object.keys(source).some((key) => this.#isFaulty([...path, key]) && !isTest(key)))
      return false
    if (named.length !== 1) {
      const list = named.length === 0 ? [...this.#places.keys()].join(', ') : named.join(' and ')
      this.#add(named.length === 0 ? 'no-place' : 'two-places', path, { list })
      return false
    }
    if (FOUND.key in source && this.#found.kind !== 'site-type') {
      this.#add(
        'misplaced-key',
        [...path, FOUND.key],
        { key: FOUND.key, owner: 'a site-type rule', kind: `a ${this.#found.kind} rule` },
        true,
      )
      return false
    }
    if (!isTop && 'weight' in source) this.#add('group-weight', [...path, 'weight'], {}, true)
    if (groups.length === 0) return this.#checkLeaf(source, places[0], path)
    return this.#checkGroup(source, groups[0], path)
  }

  #checkGroup(source: ClauseSource, group: string, path: Path): boolean {
    for (const key of TESTS) if (key in source) this.#add('group-tests', [...path, key], { key, group }, true)
    if ('atLeast' in source && group !== 'of')
      this.#add('group-atleast', [...path, 'atLeast'], { n: String(source.atLeast) }, true)
    if (group === 'of') this.#checkLeast(source, path)
    if (group === 'not') return this.#checkShape(source.not as ClauseSource, [...path, 'not'], false)
    const shapes = toList<ClauseSource>(source[group]).map((clause, i) =>
      this.#checkShape(clause, [...path, group, i], false),
    )
    return shapes.every(Boolean)
  }

  #checkLeast({ atLeast, of }: ClauseSource, path: Path): void {
    const most = toList(of).length
    if (atLeast === undefined) this.#add('missing-key', path, { key: 'atLeast', where: ' beside of' })
    else if (this.#isFaulty([...path, 'atLeast']) || most === 0) return
    else if (Number(atLeast) > most)
      this.#add('bad-value', [...path, 'atLeast'], {
        key: 'atLeast',
        wanted: `${most} or less: there are no more clauses`,
      })
    else if (Number(atLeast) === 1)
      this.#add('bad-value', [...path, 'atLeast'], { key: 'atLeast', wanted: '2 or more: one of them is `any`' })
  }

  #checkLeaf(source: ClauseSource, key: string, path: Path): boolean {
    const before = this.findings.length
    const place = this.#places.get(key) as Place
    this.#each(source, key, path, (word) => checkWord(word, place))
    this.#each(source, 'under', path, checkLocator)
    this.#checkTests(source, place, path)
    if (this.#isFaulty([...path, 'match']) || this.#isFaulty([...path, 'version'])) return false
    if ('match' in source) {
      const match = String(source.match)
      for (const fault of checkPattern(match, source, this.#judge))
        this.#add(fault.code, [...path, fault.key], fault.details)
    } else if ('version' in source) this.#add('version-group', [...path, 'version'], { value: String(source.version) })
    return this.findings.length === before
  }

  #each(source: ClauseSource, key: string, path: Path, check: (text: string) => WordFault | null): void {
    if (!(key in source) || this.#isFaulty([...path, key])) return
    const isList = Array.isArray(source[key])
    for (const [i, text] of toList<unknown>(source[key]).entries()) {
      const at = isList ? [...path, key, i] : [...path, key]
      const fault = this.#isFaulty(at) ? null : check(String(text))
      if (fault !== null) this.#add(fault.code, at, fault.details)
    }
  }

  /** Tests that could never hold here, or always do. */
  #checkTests(source: ClauseSource, { key: place, word, isAmount = false }: Place, path: Path): void {
    const owners = {
      ...(word !== 'selector' && { attr: 'a clause with a selector' }),
      ...((word === 'literal' || isAmount) && { under: OF_URLS, from: OF_URLS }),
      ...(word === 'value' && { is: OF_MORE, has: OF_MORE, under: OF_MORE, from: OF_MORE, match: OF_MORE }),
    }
    for (const [key, owner] of Object.entries(owners))
      if (key in source) this.#add('misplaced-key', [...path, key], { key, owner, kind: `one of ${place}` }, true)
    if (isAmount && !['atLeast', 'is', 'has', 'match'].some((key) => key in source))
      this.#add('missing-key', path, { key: 'atLeast', where: ` beside ${place}: any page has some` })
  }

  /** An `any` whose clauses are of several families would count as one of them. */
  #checkFamilies(node: ClauseNode, source: ClauseSource, path: Path): boolean {
    if (node.kind === 'leaf' || node.kind === 'not') return true
    const families = new Set(findPositive(node).map(findFamily))
    if (node.kind === 'any' && families.size > 1) {
      this.#add('mixed-families', path, { families: [...families].join(', ') })
      return false
    }
    return node.clauses.every((clause, i) => this.#checkFamilies(clause, source, [...path, node.kind, i]))
  }

  #checkWeight(node: ClauseNode, source: ClauseSource, path: Path): void {
    const weight = source.weight as Weight | undefined
    if (weight === undefined) return
    const cap = findMaxWeight(node)
    if (weight === cap) this.#add('needless-weight', [...path, 'weight'], { value: weight })
    else if (isHeavier(weight, cap)) {
      const reason =
        cap === 'weak' ? 'words get quoted' : 'assets of one host get hot-linked, and a builder is no more than a prior'
      this.#add('heavy-weight', [...path, 'weight'], { value: weight, cap, reason })
    }
  }
}

/** Whether a key could not be meant for a place: what is wrong with it is its value. */
function isTest(key: string): boolean {
  return CLAUSE_KEYS.includes(key)
}
