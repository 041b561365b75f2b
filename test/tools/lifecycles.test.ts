import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Lifecycles } from '../../src/lifecycles/lifecycle-types.ts'
import { ownFolder } from '../../src/rules/built.ts'
import { formatLifecycles, listDifferences, readProduct } from '../../tools/lifecycles/read-product.ts'

const FILE = `---
title: Acme
permalink: /acme
identifiers:
  - purl: pkg:github/acme/acme
  - purl: pkg:npm/%40acme/core
  - cpe: cpe:/a:acme:acme
  - cpe: cpe:2.3:a:acme:old
  - cpe: cpe:2.3:a:acme:acme
releases:
  - releaseCycle: "2.10"
    releaseDate: 2026-01-17
    eoas: 2026-09-30
    eol: false
    latest: "2.10.0"
  - releaseCycle: "1"
    releaseDate: 2006-08-31
    eoas: true
    eol: true
---

> [Acme](https://acme.example) has releases.
`

const ACME = {
  product: 'acme',
  cpe: 'cpe:2.3:a:acme:acme',
  npm: '@acme/core',
  cycles: [
    { cycle: '2.10', released: '2026-01-17', activeEnds: '2026-09-30', ends: false, latest: '2.10.0' },
    { cycle: '1', released: '2006-08-31', activeEnds: true, ends: true },
  ],
}

test('a product is read from its file, and what is written by hand stays', () => {
  expect(readProduct(FILE, 'acme')).toEqual(ACME)
  expect(readProduct(FILE, 'acme', { ...ACME, packaged: true })).toEqual({ ...ACME, packaged: true })
  expect(() => readProduct('# Acme', 'acme')).toThrow('acme.md has no releases')
})

test('differences are listed by product and cycle', () => {
  const { cycles } = ACME
  const before = {
    acme: {
      ...ACME,
      cpe: null,
      cycles: [
        { ...cycles[0], latest: '2.9.9' },
        { ...cycles[1], cycle: '0' },
      ],
    },
  }
  expect(listDifferences(before, { acme: ACME })).toEqual([
    'acme: cpe was null and is cpe:2.3:a:acme:acme now',
    'acme 2.10: released 2026-01-17, activeEnds 2026-09-30, ends false, latest 2.9.9 before, released 2026-01-17, activeEnds 2026-09-30, ends false, latest 2.10.0 now',
    'acme 1: new, released 2006-08-31, activeEnds true, ends true',
    'acme 0: gone',
  ])
  expect(listDifferences({ acme: ACME }, { acme: ACME })).toEqual([])
})

test('the file has the form that the tool writes', () => {
  const text = readFileSync(join(ownFolder, 'lifecycles.json'), 'utf8')
  expect(formatLifecycles(JSON.parse(text) as Lifecycles)).toBe(text)
})
