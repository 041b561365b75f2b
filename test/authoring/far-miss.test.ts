import { describe, expect, test } from 'vitest'
import { builder, CATEGORIES, findingsOf, placeOf, TEST, writeFolder } from '../support/rule-folder.ts'

/** Findings of a rule with the name Wood Kiln, with the given clause and one miss. */
function listFindings(clause: string, miss: string): string[] {
  const rule = builder(`{ ${clause}, weight: weak }`).replace('name: Acme', 'name: Wood Kiln')
  const files = {
    'builders/oven.yaml': rule,
    'builders/oven.test.yaml': TEST.replace(/{ page: { url.*acme } }/, `{ page: ${miss} }`),
  }
  const found = findingsOf(writeFolder({ 'categories.yaml': CATEGORIES, ...files }))
  return found.map(placeOf).filter((place) => !place.endsWith('unproven-clause'))
}

const page = (text: string): string =>
  `{ html: "<!doctype html>\\n<title>Clay</title>\\n<body>\\n<p>${text}</p>\\n<p>Fired twice.</p>" }`

describe('a miss is near if it has a word of its rule', () => {
  test.each<[name: string, clause: string, miss: string]>([
    ['name', 'meta: x-a', page('We use Wood Kiln.')],
    ['half of the name', 'meta: x-a', page('a small kiln')],
    ['name, written in another way', 'meta: x-a', page('wood-kiln')],
    ['slug', 'meta: x-a', page('The oven is old.')],
    ['word', 'header: x-tide', page('x-tide')],
    ['word of a list', 'title: [tideline, tide table]', page('tideline')],
    ['value of a test', 'meta: x-a, has: tideline', page('tideline')],
    ['letters of a pattern', "meta: x-a, match: '^tide(line|mark)'", page('tideline')],
    ['host', 'script: .tideline.com', page('tideline.example.com')],
    ['class of a selector', "element: '.tideline'", page('tideline')],
    ['address', 'meta: x-a', '{ url: https://oven.example.com/ }'],
    ['name of a header', 'header: x-tide', '{ headers: { x-tide-2: a } }'],
    ['record', 'dns: txt, has: tideline', '{ dns: { txt: [tideline] } }'],
  ])('%s', (_, clause, miss) => {
    const shown = listFindings(clause, miss).filter((place) => place.endsWith('far-miss'))
    expect(shown).toEqual([])
  })

  test.each<[name: string, clause: string, miss: string]>([
    ['nothing in common', 'title: tideline', page('Bread')],
    ['words of markup', 'script: /main/script.js', page('<a href=\\"/main.html\\">Main page</a>')],
    ['settings of a clause', 'script: /tideline.js, from: other', page('other')],
    ['short words', 'meta: x-a', page('x a')],
  ])('far: %s', (_, clause, miss) => {
    expect(listFindings(clause, miss)).toEqual(['builders/oven.test.yaml:4:5 far-miss'])
  })
})
