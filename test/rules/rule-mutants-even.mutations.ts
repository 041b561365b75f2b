import { expect, test } from 'vitest'
import { findUnnoticed } from './find-unnoticed.ts'

// Two files share the rules, so that both cores work on them.
test.each(['builder', 'hosting', 'technology'] as const)(
  'the tests of a rule notice one letter that changes: %s, even half',
  (kind) => {
    expect(findUnnoticed(kind, 'even')).toEqual([])
  },
)
