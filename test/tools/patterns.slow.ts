import { createRequire } from 'node:module'
import { describe, expect, test } from 'vitest'
import { joinAlternatives } from '../../src/engine/text/literal-index.ts'
import { projectFolder } from '../../src/rules/built.ts'
import { measurePattern } from '../../src/rules/patterns/pattern-cost.ts'
import { buildPatternGraph, CostlyPatternError } from '../../src/rules/patterns/pattern-graph.ts'
import { findPatterns } from '../../tools/patterns/find-patterns.ts'

const { checkSync } = createRequire(import.meta.url)('recheck/lib/browser.js') as typeof import('recheck')
/** Returns `safe`, or why a pattern is not known to be linear. */
function analyse(pattern: string, flags: string): string {
  return isProved(pattern, flags) ? 'safe' : recheck(pattern, flags)
}

/**
 * Whether the proof that the project's rules must pass holds: it bounds the steps from all positions together.
 * `pattern-cost.test.ts` compares this proof with recheck and with trials; `tools/run patterns` runs both methods on
 * every pattern.
 */
function isProved(pattern: string, flags: string): boolean {
  // Without a repeat a match takes a bounded number of steps from each position.
  if (!/[*+{]/.test(pattern)) return true
  // The proof does not support the flags `u` and `m`. Where a search begins does not matter to it.
  if (/[^gisy]/.test(flags)) return false
  try {
    measurePattern(buildPatternGraph(pattern, flags.replace(/[gy]/g, '')))
    return true
  } catch (error) {
    if (error instanceof CostlyPatternError) return false
    throw error
  }
}

function recheck(pattern: string, flags: string): string {
  // The limits of recheck's phases depend on the load of the machine: without them the analysis always ends the same way.
  const verdict = checkSync(pattern, flags, {
    timeout: 30_000,
    attackTimeout: null,
    incubationTimeout: null,
    seedingTimeout: null,
  })
  if (verdict.status === 'vulnerable') return `${verdict.complexity.summary}: ${verdict.attack.pattern}`
  return verdict.status === 'safe' ? 'safe' : `unknown: ${verdict.error.kind}`
}

const { known } = findPatterns(projectFolder(), ['src', 'plugins'])

describe('every regular expression of src/ and plugins/ is linear', () => {
  test.each(known.map(({ place, pattern, flags }) => [place, pattern, flags]))('%s /%s/%s', (_, pattern, flags) => {
    expect(analyse(pattern, flags)).toBe('safe')
  })

  test('alternatives of literals contain no repetition for any literals', () => {
    const literals = ['a*', '(b+)+', '[c]{2,}', '^d$', 'e|f', '\\s+', 'g?']
    const pattern = joinAlternatives(literals)
    expect(analyse(pattern, 'i')).toBe('safe')
    for (const literal of literals) expect(new RegExp(`^(?:${pattern})$`).test(literal)).toBe(true)
  })
})
