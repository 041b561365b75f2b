import fc from 'fast-check'

const chars = fc.constantFrom('a', 'b', '-', '\\.', '.', '[ab]', '[^b]', '\\d', '\\w', '[a-f0-9]', '\\s', 'A')
const counts = fc.oneof(
  fc.constantFrom('*', '+', '?', '*?', '+?', '??'),
  fc.tuple(fc.nat(4), fc.nat(6), fc.constantFrom('', '?')).map(([min, more, lazy]) => `{${min},${min + more}}${lazy}`),
  fc.nat(9).map((count) => `{${count}}`),
)

/** Regular expressions that a rule author might write, with every kind of repeat, alternative and lookaround. */
export const arbitraryPattern: fc.Arbitrary<string> = fc.letrec<{ part: string; pattern: string }>((tie) => ({
  part: fc.oneof(
    { maxDepth: 4, depthIdentifier: 'part' },
    { weight: 5, arbitrary: chars },
    { weight: 3, arbitrary: fc.tuple(chars, counts).map(([char, count]) => char + count) },
    { weight: 1, arbitrary: fc.constantFrom('^', '$', '\\b', '\\B', '\\1') },
    {
      weight: 3,
      arbitrary: fc
        .tuple(fc.constantFrom('(', '(?:'), tie('pattern'), fc.option(counts, { nil: '' }))
        .map(([open, inner, count]) => `${open}${inner})${count}`),
    },
    {
      weight: 1,
      arbitrary: fc
        .tuple(fc.constantFrom('(?=', '(?!', '(?<=', '(?<!'), tie('pattern'))
        .map(([open, inner]) => `${open}${inner})`),
    },
  ),
  pattern: fc
    .array(
      fc.array(tie('part'), { minLength: 0, maxLength: 4 }).map((parts) => parts.join('')),
      { minLength: 1, maxLength: 3 },
    )
    .map((alternatives) => alternatives.join('|')),
})).pattern
