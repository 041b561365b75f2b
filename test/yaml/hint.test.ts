import { expect, test } from 'vitest'
import { findClosest, formatChoice } from '../../src/yaml/hint.ts'

const CATEGORIES = ['ai-builder', 'website-builder', 'cms', 'page-builder', 'static-site', 'documentation']

test.each([
  ['site-builder', 'website-builder'],
  ['web-site-builder', 'website-builder'],
  ['builder', 'ai-builder'],
  ['page-bilder', 'page-builder'],
  ['cm', 'cms'],
  ['static', 'static-site'],
  ['documentations', 'documentation'],
  ['zzz', undefined],
  ['si', undefined],
])('%s means %s', (value, meant) => {
  expect(findClosest(value, CATEGORIES)).toBe(meant)
})

test('a choice names the closest word and all of them', () => {
  expect(formatChoice('site-builder', ['website-builder', 'cms', 'cms'])).toBe(
    '; did you mean "website-builder"? Use one of website-builder, cms',
  )
  expect(formatChoice('zzz', ['website-builder', 'cms'])).toBe(': use one of website-builder, cms')
})
