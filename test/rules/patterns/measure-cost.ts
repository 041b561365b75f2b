import { measurePattern } from '../../../src/rules/patterns/pattern-cost.ts'
import { buildPatternGraph, CostlyPatternError } from '../../../src/rules/patterns/pattern-graph.ts'

/** The number of comparisons per character, or the reason why it has no bound. */
export function measureCost(pattern: string, flags = 'i'): number | string {
  try {
    return measurePattern(buildPatternGraph(pattern, flags))
  } catch (error) {
    if (error instanceof CostlyPatternError) return error.message
    throw error
  }
}
