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
} from '../../engine/rule/clause.ts'
import type { Place, Weight } from '../../engine/rule/place.ts'
import type { ClauseSource, RuleKind } from '../../engine/rule/types.ts'
import type { Path, SourceFile } from '../../yaml/source-file.ts'
import type { FoundRule } from '../discover.ts'
import { buildFinding, type Finding, type FindingCode } from '../findings.ts'
import { checkPattern } from '../patterns/pattern-checks.ts'
import type { PatternJudge } from '../patterns/pattern-judge.ts'
import { listGroups } from '../patterns/version-group.ts'
import { CLAUSE_KEYS, GROUPS, TESTS } from '../schema.ts'
import { checkLocator, checkWord, type WordProblem } from './word-checks.ts'

const URL_CLAUSE = 'a clause whose values are URLs or hosts'
const PARTIAL_CLAUSE = 'a clause whose word is not the whole value'

/** Kinds of rules whose clauses have weights. */
const WEIGHTED: ReadonlySet<RuleKind> = new Set(['builder', 'hosting', 'technology'])

/** Checks of a clause that a JSON Schema cannot express. Parts that the schema has rejected are skipped. */
export class ClauseChecker {
  readonly findings: Finding[] = []
  readonly #found: FoundRule
  readonly #file: SourceFile
  readonly #places: Places
  readonly #rejected: readonly string[]
  readonly #judge: PatternJudge

  /** @param checks `rejected`: paths that the schema has rejected, as JSON */
  constructor(
    found: FoundRule,
    file: SourceFile,
    checks: { places: Places; rejected: readonly string[]; judge: PatternJudge },
  ) {
    this.#found = found
    this.#file = file
    this.#places = checks.places
    this.#rejected = checks.rejected
    this.#judge = checks.judge
  }

  check(source: ClauseSource, path: Path): void {
    const before = this.findings.length
    const isShaped = this.#checkShape(source, path, true)
    if (!isShaped || this.findings.length > before || this.#isRejected(path, true)) return
    const node = readClause(source, this.#places)
    if (findFamily(node) === null) this.#add('nothing-positive', path, {})
    else if (WEIGHTED.has(this.#found.kind) && this.#checkFamilies(node, source, path))
      this.#checkWeight(node, source, path)
  }

  #add(code: FindingCode, path: Path, details: Record<string, string | number>, atKey = false): void {
    this.findings.push(buildFinding(code, atKey ? this.#file.keyAt(path) : this.#file.valueAt(path), details))
  }

  /** @param below whether rejected values inside the value count, too */
  #isRejected(path: Path, below = false): boolean {
    if (this.#rejected.length === 0) return false
    const here = JSON.stringify(path).slice(0, -1)
    return this.#rejected.some((rejected) => rejected === `${here}]` || (below && rejected.startsWith(`${here},`)))
  }

  /** @returns whether the clause and every clause inside it can be read */
  #checkShape(source: ClauseSource, path: Path, isTop: boolean): boolean {
    // A group that is rejected, because it is a text, has no clauses.
    if (typeof source !== 'object' || this.#isRejected(path)) return false
    const groups = GROUPS.filter((key) => key in source)
    const places = Object.keys(source).filter((key) => this.#places.has(key))
    const named = [...groups, ...places]
    if (named.length === 0 && Object.keys(source).some((key) => this.#isRejected([...path, key]) && !isClauseKey(key)))
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
    for (const key of ['weight', 'points', 'fitted'])
      if (!isTop && key in source) this.#add('group-weight', [...path, key], { key }, true)
    this.#checkOwner(source, path)
    if (groups.length === 0) return this.#checkLeaf(source, places[0], path)
    return this.#checkGroup(source, groups[0], path)
  }

  /** A site type has points, a response has neither points nor weights: any clause proves it. */
  #checkOwner(source: ClauseSource, path: Path): void {
    const kind = `a ${this.#found.kind} rule`
    const report = (key: string, owner: string): void => {
      if (key in source) this.#add('misplaced-key', [...path, key], { key, owner, kind }, true)
    }
    if (!WEIGHTED.has(this.#found.kind)) report('weight', 'a builder, technology or hosting rule')
    if (this.#found.kind !== 'site-type') for (const key of ['points', 'fitted']) report(key, 'a site-type rule')
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
    if (atLeast === undefined) this.#add('missing-key', path, { key: 'atLeast', where: ' next to `of`' })
    else if (this.#isRejected([...path, 'atLeast']) || most === 0) return
    else if (Number(atLeast) > most)
      this.#add('bad-value', [...path, 'atLeast'], {
        key: 'atLeast',
        wanted: `${most} or less, the number of clauses`,
      })
    else if (Number(atLeast) === 1)
      this.#add('bad-value', [...path, 'atLeast'], {
        key: 'atLeast',
        wanted: '2 or more; use `any` for one of the clauses',
      })
  }

  #checkLeaf(source: ClauseSource, key: string, path: Path): boolean {
    const before = this.findings.length
    const place = this.#places.get(key) as Place
    const isNarrowed = 'match' in source || 'has' in source
    this.#each(source, key, path, (word) => checkWord(word, place, isNarrowed))
    this.#each(source, 'under', path, checkLocator)
    this.#checkTests(source, place, path)
    if (this.#isRejected([...path, 'match']) || this.#isRejected([...path, 'version'])) return false
    if ('match' in source) {
      const match = String(source.match)
      for (const problem of checkPattern(match, source, this.#judge))
        this.#add(problem.code, [...path, problem.key], problem.details)
      if (place.windowCharacters !== undefined && isAnchored(match))
        this.#add('anchored-window', [...path, 'match'], { place: key, characters: place.windowCharacters })
    } else if ('version' in source && !(source.version === false && place.hasVersions))
      this.#add('version-group', [...path, 'version'], { value: String(source.version) })
    this.#checkTemplate(source, path)
    return this.findings.length === before
  }

  /** Checks the groups that the template of a version names. */
  #checkTemplate(source: ClauseSource, path: Path): void {
    if (!('versionText' in source) || this.#isRejected([...path, 'versionText'])) return
    const groups = 'match' in source ? listGroups(String(source.match)).length : 0
    const named = [...String(source.versionText).matchAll(/\\(\d)/g)].map(([, group]) => Number(group))
    const missing = named.find((group) => group < 1 || group > groups)
    if (missing !== undefined || 'version' in source)
      this.#add('version-group', [...path, 'versionText'], { value: String(missing ?? source.version) })
  }

  #each(source: ClauseSource, key: string, path: Path, check: (text: string) => WordProblem | null): void {
    if (!(key in source) || this.#isRejected([...path, key])) return
    const isList = Array.isArray(source[key])
    for (const [i, text] of toList<unknown>(source[key]).entries()) {
      const at = isList ? [...path, key, i] : [...path, key]
      const problem = this.#isRejected(at) ? null : check(String(text))
      if (problem !== null) this.#add(problem.code, at, problem.details)
    }
  }

  /** Reports tests that could never hold for this place, or would always hold. */
  #checkTests(source: ClauseSource, { key: place, word, isAmount = false, windowCharacters }: Place, path: Path): void {
    const owners = {
      ...(word !== 'selector' && { attr: 'a clause with a selector' }),
      ...(windowCharacters !== undefined && { is: 'a clause that sees whole texts' }),
      ...((word === 'literal' || isAmount) && { under: URL_CLAUSE, from: URL_CLAUSE }),
      ...(word === 'value' && {
        is: PARTIAL_CLAUSE,
        has: PARTIAL_CLAUSE,
        under: PARTIAL_CLAUSE,
        from: PARTIAL_CLAUSE,
        match: PARTIAL_CLAUSE,
      }),
    }
    for (const [key, owner] of Object.entries(owners))
      if (key in source) this.#add('misplaced-key', [...path, key], { key, owner, kind: `a ${place} clause` }, true)
    if (isAmount && !['atLeast', 'is', 'has', 'match'].some((key) => key in source))
      this.#add('missing-key', path, { key: 'atLeast', where: ` next to ${place}: every page has some size` })
  }

  /** Rejects an `any` with clauses of several families: it would count for one of them only. */
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
        cap === 'weak'
          ? 'text is often quoted'
          : 'assets of a host get hot-linked, and a detected builder is only a hint'
      this.#add('heavy-weight', [...path, 'weight'], { value: weight, cap, reason })
    }
  }
}

/** Whether a pattern contains `^` or `$` outside of character classes. */
function isAnchored(match: string): boolean {
  let inClass = false
  for (let i = 0; i < match.length; i++) {
    if (match[i] === '\\') i++
    else if (inClass) inClass = match[i] !== ']'
    else if (match[i] === '^' || match[i] === '$') return true
    else inClass = match[i] === '['
  }
  return false
}

/** Whether a rejected key is not a misspelled place: its value is wrong, not its name. */
function isClauseKey(key: string): boolean {
  return CLAUSE_KEYS.includes(key)
}
