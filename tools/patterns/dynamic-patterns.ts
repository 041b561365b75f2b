// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are source code.
/** Where the code may build a regular expression from what its source does not show, and why that is safe. */
export const DYNAMIC_PATTERNS: readonly { readonly file: string; readonly code: string; readonly reason: string }[] = [
  {
    file: 'src/engine/lookup/leaf-test.ts',
    code: "new RegExp(leaf.match, leaf.exact ? '' : 'i')",
    reason: 'a pattern of a rule: the linter judges each with the same analysis, and it runs in a worker with a clock',
  },
  {
    file: 'src/engine/text/literal-index.ts',
    code: "new RegExp(alternatives(literals), 'i')",
    reason: 'alternatives of escaped literals without a repeat: at most the length of the longest at each place',
  },
  {
    file: 'src/engine/lookup/selector-index.ts',
    code: "new RegExp(asked.map(alternative).join('|'), 'i')",
    reason: 'alternatives of escaped literals without a repeat: at most the length of the longest at each place',
  },
  {
    file: 'src/http/v1/schemas.ts',
    code: "pattern: `^(?:${LIVE_EXTRAS.join('|')})(?:,(?:${LIVE_EXTRAS.join('|')}))*$`",
    reason:
      'a list of fixed words: each begins with another letter and has no comma, so there is one way to read a text',
  },
  {
    file: 'src/rules/patterns/char-ranges.ts',
    code: 'new RegExp(`(?:${source})+`, `${flags}g`)',
    reason: 'one character or character class of a pattern, repeated, on a fixed text of all characters',
  },
  {
    file: 'src/rules/patterns/pattern-checks.ts',
    code: 'new RegExp(match)',
    reason: 'compiled to learn whether it is a regular expression, never run',
  },
  {
    file: 'src/rules/patterns/pattern-checks.ts',
    code: 'new RegExp(`${match}|`)',
    reason: 'run on the empty text alone, to count its groups',
  },
]
