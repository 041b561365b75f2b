import { expect, test } from 'vitest'
import { findUnnoticed } from './find-unnoticed.ts'

/** Time limit for all rules of one kind. */
const TIMEOUT_MS = 180_000

// Two files share the rules, so that both cores work on them.
test.each(['builder', 'hosting', 'technology'] as const)(
  'the tests of a rule notice one letter that changes: %s, even half',
  { timeout: TIMEOUT_MS },
  (kind) => {
    expect(findUnnoticed(kind, 'even')).toEqual([])
  },
)
