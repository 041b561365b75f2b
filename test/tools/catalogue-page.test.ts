import { expect, test } from 'vitest'
import { detectors } from '../../plugins/index.ts'
import { indexPlaces } from '../../src/engine/rule/clause.ts'
import { PAGE_STATES, type RuleSource } from '../../src/engine/rule/types.ts'
import { formatCatalogue } from '../../tools/catalogue-page.ts'

const categories = { builders: {}, technologies: { security: 'Security' } }
const source = { source: 'https://a.example', verified: '2026-11-27' }
const build = (slug: string, rule: Partial<RuleSource>): RuleSource =>
  ({ kind: 'response', slug, name: slug, detect: [{ title: slug }], ...source, ...rule }) as RuleSource
const format = (...rules: RuleSource[]): string => formatCatalogue({ rules, categories }, indexPlaces(detectors))

const OWNER = build('guard', { kind: 'technology', category: 'security', name: 'Guard | Pro' })
const DENIED = build('guard-denied', { state: 'wall', by: 'guard', name: 'Guard: denied' })

test('answers that are not the site are listed by state, with the product whose page it is', () => {
  const parked = build('parked', {
    kind: 'site-type',
    state: 'parked',
    name: 'Parked domain',
    description: 'For sale.',
  })
  const text = format(OWNER, DENIED, parked)
  const [, section = ''] = /## What is not the site\n(.*?)\n## /s.exec(text) ?? []
  expect(section.match(/^### .*$/gm)).toEqual([
    '### Checks of visitors and refusals: `wall`',
    '### Parked domains: `parked`',
  ])
  expect(section).toContain(
    '| Guard: denied | [`guard-denied`](../rules/responses/guard-denied.yaml) | of *Guard \\| Pro*: title `guard-denied` | 2026-11-27 |',
  )
  expect(section).toContain('[`parked`](../rules/site-types/parked.yaml) | For sale. title `parked` |')
})

test('every state has a section, and rules without a state need none', () => {
  const states = PAGE_STATES.filter((state) => state !== 'site')
  const text = format(...states.map((state) => build(`of-${state}`, { state })))
  expect([...text.matchAll(/^### .+: `(.+)`$/gm)].map(([, state]) => state)).toEqual(states)
  expect(format(OWNER)).not.toContain('What is not the site')
})
