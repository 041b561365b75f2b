import type { PageInput } from '../engine/page/page.ts'
import { toList } from '../engine/rule/clause.ts'
import { openOwnNetworks } from '../networks/open-networks.ts'
import { SchemaValidator } from '../yaml/schema-validator.ts'
import type { Path, SourceFile } from '../yaml/source-file.ts'
import { type HitData, type MissData, type TestData, testSchema } from './data-schemas.ts'
import type { FoundRule } from './discover.ts'
import type { Finding } from './findings.ts'
import { findPlaceholders } from './placeholders.ts'
import { openTests } from './rule-tests.ts'
import { isFragment, wrapFragment } from './wrap-fragment.ts'

/** A page of a test file, and its expected verdict. */
export interface Fixture {
  readonly rule: FoundRule
  readonly file: SourceFile
  /** Where findings about the page are reported. */
  readonly path: Path
  /** Its number among the hits or misses of its test file, from 1; 0 if it is derived from the rule. */
  readonly number: number
  readonly input: PageInput
  /** null for a miss. */
  readonly hit: HitData | null
  readonly also: readonly string[]
}

const validator = new SchemaValidator(testSchema)

/** Reads the tests of a rule. */
export function readFixtures(rule: FoundRule): { fixtures: Fixture[]; findings: Finding[] } {
  const file = openTests(rule)
  if (file === null) return { fixtures: [], findings: [] }
  const findings: Finding[] = [...file.findings]
  const placeholders = findPlaceholders(file)
  const problems = file.data === null ? [] : validator.check(file)
  findings.push(
    ...placeholders.findings,
    ...problems.filter(({ path }) => !placeholders.paths.has(JSON.stringify(path))).map(({ finding }) => finding),
  )
  if (findings.length > 0) return { fixtures: [], findings }
  const { hits, misses } = file.data as TestData
  const readItem = (path: Path, { page, also }: MissData, hit: HitData | null): Fixture => ({
    rule,
    file,
    path,
    number: Number(path[1]) + 1,
    input: findNetworkOf(wrapPage(page, `${rule.slug} ${path.join(' ')}`)),
    hit,
    also: toList<string>(also),
  })
  const fixtures = [
    ...hits.map((item, i) => readItem(['hits', i], item, readHit(item))),
    ...misses.map((item, i) => readItem(['misses', i], item, null)),
  ]
  return { fixtures, findings }
}

/** Puts the HTML of a page that is only a part of a document into an ordinary page. */
function wrapPage(page: PageInput, seed: string): PageInput {
  const { html } = page
  return typeof html === 'string' && isFragment(html) ? { ...page, html: wrapFragment(html, seed) } : page
}

/** Adds the network of the address of a page, which the project's own table tells, unless the page says it. */
export function findNetworkOf(page: PageInput): PageInput {
  return typeof page.address === 'string' && page.network === undefined
    ? { ...page, network: openOwnNetworks().find(page.address) }
    : page
}

/** Failsafe YAML has no null, so the text `null` stands for it. */
function readHit(hit: HitData): HitData {
  const readNull = (value: string | null): string | null => (value === 'null' ? null : value)
  return {
    ...hit,
    ...(hit.hosting !== undefined && { hosting: readNull(hit.hosting) }),
    ...(hit.siteType !== undefined && { siteType: readNull(hit.siteType) }),
  }
}
