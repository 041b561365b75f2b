import { expect, test } from 'vitest'
import type { PageInput } from '../../src/engine/page/page.ts'
import { google } from './support/containers.ts'
import { builder, getVerdict, type TinyRule, technology } from './support/tiny-rules.ts'

const CLICK = [
  [
    ['if', 1],
    ['add', 0],
  ],
]
const html = { function: '__html', vtp_html: '<script src="//kiln.example/a.js"></script><script>kilnTag()</script>' }
const always: PageInput = { scripts: [google({ tags: [html] })] }
const onClick: PageInput = { scripts: [google({ tags: [html], rules: CLICK })] }
const clauses = [{ inline: 'kilnTag(' }]
const both = [
  { script: 'kiln.example/a.js', weight: 'medium' },
  { inline: 'kilnTag(', weight: 'medium' },
]

/** What a rule scores: its level, or null. */
function readLevel(rule: TinyRule, input: PageInput): string | null {
  return getVerdict([rule], input).evidence.find(({ slug }) => slug === rule.slug)?.level ?? null
}

test.each<[name: string, rule: TinyRule, input: PageInput, level: string | null]>([
  ['a technology', technology('kiln', { detect: clauses }), always, 'high'],
  ['a technology, under a condition', technology('kiln', { detect: clauses }), onClick, 'medium'],
  ['a kind under a condition', technology('kiln', { detect: [{ tag: '__html' }] }), onClick, 'medium'],
  ['two families', technology('kiln', { detect: both }), always, 'high'],
  ['two families, under a condition', technology('kiln', { detect: both }), onClick, 'medium'],
  [
    'a condition, and the page itself',
    technology('kiln', { detect: clauses }),
    { ...onClick, html: '<script>kilnTag()</script>' },
    'high',
  ],
  ['a builder', builder('kiln', { detect: clauses }), always, null],
  [
    'a clause under a not',
    technology('kiln', { detect: [{ all: [{ element: 'p' }, { not: { inline: 'kilnTag(' } }] }] }),
    { ...always, html: '<p>' },
    'high',
  ],
])('what a container holds counts for %s', (_, rule, input, level) => {
  expect(readLevel(rule, input)).toBe(level)
})
