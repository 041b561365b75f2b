// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts are source code.
/** Expressions that may build a regular expression from values that the source does not show, and why each is safe. */
export const DYNAMIC_PATTERNS: readonly { readonly file: string; readonly code: string; readonly reason: string }[] = [
  {
    file: 'plugins/detector-schema.ts',
    code: "new RegExp(pattern, 'u')",
    reason: "the word form of an operator's own detector: runs at start on the words of rules, never on a page",
  },
  {
    file: 'plugins/extension.ts',
    code: "pattern: `^(?:${KINDS.join('|')})/[^/\\\\s*?#]+(?:/[^/\\\\s*?#]+)?$`",
    reason:
      'the names of folders in a table of the project, and two repeats that a slash parts: runs on the words of rules',
  },
  {
    file: 'src/engine/lookup/leaf-test.ts',
    code: "new RegExp(match, exact ? '' : 'i')",
    reason:
      'a pattern of a rule: the linter checks each with the same analysis, and it runs in a worker with a time limit',
  },
  {
    file: 'src/engine/text/literal-index.ts',
    code: "new RegExp(joinAlternatives(literals), 'i')",
    reason: 'alternatives of escaped literals without a repeat: at most the length of the longest literal per position',
  },
  {
    file: 'src/engine/lookup/selector-index.ts',
    code: "new RegExp(used.map(alternative).join('|'), 'i')",
    reason: 'alternatives of escaped literals without a repeat: at most the length of the longest literal per position',
  },
  {
    file: 'src/authoring/editor-schemas.ts',
    code: "pattern: `^(?:${names.join('|')}) \\\\S+$`",
    reason: 'names of places and one repeat to the end of a word of a rule: runs in an editor, never on a page',
  },
  {
    file: 'src/rules/patterns/char-ranges.ts',
    code: 'new RegExp(`(?:${source})+`, `${flags}g`)',
    reason: 'a repeat of a pattern that matches exactly one character, run on a fixed text',
  },
  {
    file: 'src/rules/patterns/char-ranges.ts',
    code: 'new RegExp(`(?:${source})+`, `${flags}g`)',
    reason: 'one character or character class of a pattern, repeated, on a fixed text of all characters',
  },
  {
    file: 'src/rules/patterns/pattern-checks.ts',
    code: 'new RegExp(match)',
    reason: 'compiled only to validate it, never run',
  },
  {
    file: 'src/rules/patterns/version-group.ts',
    code: "new RegExp(`^(?:${content})$`, 'i')",
    reason: 'run only on three fixed texts of at most eight characters',
  },
  {
    file: 'src/rules/checks/vendor-checks.ts',
    code: "new RegExp(String(leaf.match), 'i')",
    reason: 'the pattern of a rule, whose safety the linter has proved before, on a short fixed address',
  },
  {
    file: 'src/authoring/common-words/test-words.ts',
    code: "new RegExp(match, 'i')",
    reason:
      'the pattern of a rule, whose safety the linter has proved before, on short values of the table of common words',
  },
  {
    file: 'src/store/mongo/schema.ts',
    code: 'new RegExp(`^${HASH_PREFIX}`)',
    reason: 'a constant prefix, evaluated by MongoDB on tokens of sessions',
  },
  {
    file: 'src/authoring/import/better-places.ts',
    code: 'new RegExp(`^<([a-z][a-z0-9-]*)(?:${INSIDE}>?|>)?$`)',
    reason:
      'constants of the file: runs in `rules import` on one pattern of a fingerprint that the author chose, never on a page',
  },
  {
    file: 'src/authoring/import/better-places.ts',
    code: 'new RegExp(\n  `^<([a-z][a-z0-9-]*)${INSIDE}+([a-z][a-z0-9:_-]*)=(?:${QUOTE}|(?=\\\\[\\\\^[^\\\\]]*\\\\][*+]))(.+?)(${QUOTE})?$`,\n)',
    reason:
      'constants of the file: runs in `rules import` on one pattern of a fingerprint that the author chose, never on a page',
  },
  {
    file: 'src/authoring/import/better-places.ts',
    code: 'new RegExp(`^<(link|a|script|img|iframe|embed|form)${INSIDE}+(.+)$`)',
    reason:
      'constants of the file: runs in `rules import` on one pattern of a fingerprint that the author chose, never on a page',
  },
  {
    file: 'src/authoring/import/better-places.ts',
    code: "new RegExp(\n  `^(\\\\^?(?:https\\\\??:|https\\\\?:\\\\?|\\\\(\\\\?:https\\\\?:\\\\)\\\\?)?\\\\\\\\?/\\\\\\\\?/|\\\\\\\\\\\\.)(${HOST})(${PATH})$`,\n  'i',\n)",
    reason:
      'constants of the file: runs in `rules import` on one pattern of a fingerprint that the author chose, never on a page',
  },
  {
    file: 'src/authoring/import/build-clauses.ts',
    code: 'new RegExp(`${match}|`)',
    reason: 'run on an empty text, to count the groups',
  },
  {
    file: 'src/authoring/import/fit-pattern.ts',
    code: "new RegExp(source, 'i')",
    reason: 'compiled only to validate it, never run',
  },
]
