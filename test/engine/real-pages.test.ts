import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { beforeAll, describe, expect, test } from 'vitest'
import type { PageInput } from '../../src/engine/page/page.ts'
import { buildPage, detect } from '../../src/index.ts'
import { projectFolder } from '../../src/rules/built.ts'
import { openOwnRuleset } from '../support/own-ruleset.ts'

// Third-party pages, which are read in place and never copied.
const file = join(projectFolder(), '..', 'shared', 'pages', 'pages.jsonl.gz')
const isHere = existsSync(file)
if (!isHere) console.warn(`SKIPPED: ${file} does not exist, so real pages are not tested`)

/** Independent evidence about a page. */
interface Labels {
  readonly builder?: string | null
  readonly none?: boolean
  readonly evidence?: readonly string[]
}

interface LabelledPage extends PageInput {
  readonly id: string
  readonly expect: Labels
}

interface Outcome {
  readonly id: string
  readonly named: string | null
  readonly labels: Labels
}

/** Share of builders that must be named, among pages that show evidence of a builder with a rule. */
const MIN_RECALL = 0.9

describe.skipIf(!isHere)('on real pages', () => {
  const outcomes: Outcome[] = []
  const ruled = new Set<string>()

  beforeAll(() => {
    const ruleset = openOwnRuleset()
    for (const { kind, slug } of ruleset.rules) if (kind === 'builder') ruled.add(slug)
    for (const line of gunzipSync(readFileSync(file)).toString('utf8').split('\n').filter(Boolean)) {
      const { id, url, status, headers, html, expect: labels }: LabelledPage = JSON.parse(line)
      const { builderSlug } = detect(ruleset, buildPage({ url, status, headers, html }))
      outcomes.push({ id, named: builderSlug, labels })
    }
  })

  const listErrors = (isError: (outcome: Outcome) => boolean): string[] =>
    outcomes.filter(isError).map(({ id, named, labels }) => `${id}: ${labels.builder ?? 'none'} → ${named}`)

  test('no labelled page gets another builder', () => {
    expect(outcomes.filter(({ labels }) => labels.builder).length).toBeGreaterThan(0)
    expect(
      listErrors(({ named, labels: { builder } }) => Boolean(builder) && named !== null && named !== builder),
    ).toEqual([])
  })

  test('no page without a builder gets one', () => {
    expect(outcomes.filter(({ labels }) => labels.none).length).toBeGreaterThan(0)
    expect(listErrors(({ named, labels }) => labels.none === true && named !== null)).toEqual([])
  })

  test(`at least ${100 * MIN_RECALL} % of the builders with evidence and a rule are named`, () => {
    const shown = outcomes.filter(({ labels: { builder, evidence = [] } }) => {
      return builder && ruled.has(builder) && !evidence.every((kind) => kind.startsWith('repo'))
    })
    const silent = shown
      .filter(({ named, labels }) => named !== labels.builder)
      .map(({ id, labels }) => `${id}: ${labels.builder}`)
    expect(shown.length).toBeGreaterThan(0)
    expect(1 - silent.length / shown.length, `not named: ${silent.join(', ')}`).toBeGreaterThanOrEqual(MIN_RECALL)
  })
})
