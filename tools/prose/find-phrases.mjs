// Plain JavaScript, so that it needs neither packages nor a build.

/** What must not occur, and what to write instead. Each pattern sees one line and the beginning of the next. */
const PHRASES = [
  [/\b(?:nobody(?!@)|somebody|whoever)\b/i, 'the component: client, caller, server, rule author, operator'],
  [/\banew\b/i, 'again, new'],
  [/\b(?:leave|leaves|left|leaving) (?:it |them |that )?away\b/i, 'omit, remove'],
  [/\blook-ups?\b/i, 'lookup'],
  [/\b(?:is|are|was|were|be|been|gets?) told\b/i, 'is reported, is logged, learns'],
  [/\btells? of\b/i, 'reports'],
  [
    /\bstands? (?:in(?! for)|beside|there|alone|back|still|for long)\b/i,
    'is in, is next to, has low priority, contains',
  ],
  [/\bbeside\b/i, 'next to, besides, in addition to; side evidence'],
  [/\bcomplain/i, 'report, problem'],
  [
    /(?<!\bthere )\bis no (?!(?:longer|more|less|fewer|larger|smaller|shorter|slower|faster|better|worse|later|earlier|different)\b)[a-z]/i,
    'is not a …',
  ],
  [/\bgoes by\b/i, 'depends on, is measured by'],
  [/(?<!\b(?:may|might|could) )\bas well\b(?! as\b)/i, 'also, too'],
  [/(?<!\bnot\b[^.;:]*)\bbut for\b(?! (?:all|each|every|one|that|this)\b)/i, 'except'],
  [/(?<!in[- ]|single-|pre-?|:)\bflights?\b/i, 'in-flight scan'],
  [/\b(?:boarding|landed|lands|(?:board|land)(?=\())/i, 'acquire, complete'],
  [/\b(?:so|as) many at (?:once|a time)\b/i, 'concurrent, at a time'],
  [/\bnothing comes of\b/i, 'fails, has no result'],
  [/\bnot foreseen\b/i, 'unexpected'],
  [/\bbusy thread\b|\bthread (?:is|was) busy\b/i, 'event loop is blocked'],
  [/\bat the wish of\b/i, 'the owner has opted out'],
  [/(?<=\b(?:not|cannot|no|never|nothing)\b[^.,;:]*)\bany more\b(?! (?:than|of)\b)/i, 'no longer'],
  [/\bin between\b/i, 'in the meantime, meanwhile, between the two'],
  [/(?<=^|[.:;,(|] )mostly\b/i, 'usually'],
  [/\bthe one of\b/i, 'that of'],
  [/,? also (?:if|when|after)\b/i, 'even if, even when, even after'],
  [/\bfurther (?!work\b|[a-z]+ed\b)[a-z]/i, 'more, another, other, additional'],
  [/\bin your name\b/i, 'on your behalf'],
  [/\bsince when\b/i, 'when it began'],
  [/(?<=(?:\/\*\*|\/\/|^\s*[*#]) )(?:By|With|Under|To|From|In|On|For) which\b/, 'a sentence with a subject'],
]

/** The line, and the beginning of the next one without what marks it as a comment: a phrase may span two lines. */
function joinLines(line, next = '') {
  const text = next.replace(/^\s*(?:\/?\*+|\/\/|#|>|-|\|)?\s*/, '')
  return `${line.trimEnd()} ${text}`
}

/**
 * Finds the retired phrases of one text.
 * @param {string} file its name in the report
 * @param {string} text
 * @returns {string[]} a line for each retired phrase
 */
export function findPhrases(file, text) {
  const lines = text.split('\n')
  return lines.flatMap((line, i) =>
    PHRASES.flatMap(([pattern, instead]) => {
      const match = pattern.exec(joinLines(line, lines[i + 1]))
      if (match === null || match.index >= line.length) return []
      return [`${file}:${i + 1}:${match.index + 1}  "${match[0]}": write ${instead}`]
    }),
  )
}
