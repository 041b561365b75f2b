import { detectors } from '../../plugins/index.ts'
import type { PageMatcher } from '../../src/detector/detector.ts'
import { Ruleset } from '../../src/engine/lookup/ruleset.ts'
import { buildPage, detect } from '../../src/index.ts'
import { SAMPLE_RULES } from './sample-scan.ts'

const ruleset = Ruleset.of({ rules: [], categories: { builders: {}, technologies: {} }, version: '' }, detectors)

/** Matches pages in this process without any rule, for tests of what is around the detection. */
export const EMPTY_MATCHER: PageMatcher = {
  rules: SAMPLE_RULES,
  match: async (input) => ({
    verdict: detect(ruleset, buildPage(input)),
    title: null,
    packages: [],
    isShell: false,
    buildMs: 0,
    detectMs: 0,
  }),
  close: async () => {},
}
