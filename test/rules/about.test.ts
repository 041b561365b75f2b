import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { load } from 'js-yaml'
import { expect, test } from 'vitest'
import { projectFolder } from '../../src/rules/built.ts'
import { openOwnRuleset } from '../support/own-ruleset.ts'

const { rules } = openOwnRuleset()
const mostSeen = load(readFileSync(join(projectFolder(), 'rules', 'most-seen.yaml'), 'utf8')) as readonly string[]

test('every builder, and every technology that many sites have, says in one sentence what it is', () => {
  const wanted = rules.filter(
    ({ kind, slug }) => kind === 'builder' || (kind === 'technology' && mostSeen.includes(slug)),
  )
  expect(wanted.filter(({ about }) => about === undefined).map(({ slug }) => slug)).toEqual([])
})

test('the list names technologies', () => {
  const slugs = new Set(rules.filter(({ kind }) => kind === 'technology').map(({ slug }) => slug))
  expect(mostSeen.filter((slug) => !slugs.has(slug))).toEqual([])
  expect(mostSeen.length).toBeGreaterThanOrEqual(300)
})
