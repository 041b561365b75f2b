const text = { type: 'string' } as const
const texts = { type: 'array', items: text } as const
const textOrNull = { type: ['string', 'null'] } as const
const count = { type: 'integer', minimum: 0 } as const
const milliseconds = { type: 'number', minimum: 0 } as const

/** An object that has all of its properties and no other. */
function whole(properties: Record<string, object>, optional: Record<string, object> = {}): object {
  return {
    type: 'object',
    required: Object.keys(properties),
    additionalProperties: false,
    properties: { ...properties, ...optional },
  }
}

const clause = whole({
  clause: { ...text, description: 'The clause as the rule has it.' },
  places: { ...texts, description: 'Where it looks.' },
  weight: { enum: ['strong', 'medium', 'weak'] },
  family: text,
  hits: count,
  texts: {
    type: 'array',
    items: { ...text, maxLength: 200 },
    description: 'What stood there, cut to 200 characters each.',
  },
})

const evidence = whole(
  {
    kind: { enum: ['builder', 'technology', 'hosting', 'site-type'] },
    slug: text,
    name: text,
    level: { enum: ['high', 'medium', 'low', null] },
    points: count,
    clauses: { type: 'array', items: clause, description: 'Clauses that hold.' },
    unseen: { ...texts, description: 'Places the rule asks for that nobody looked at.' },
    chosen: { type: 'boolean', description: 'Whether this rule is part of the answer.' },
  },
  { note: { ...text, description: 'Why not, or what lifted it.' } },
)

/** What an answer holds after the ten fields when `include` names it. */
export const EXTRA_SCHEMAS = {
  evidence: { type: 'array', items: evidence, description: 'With include=evidence: every rule that scored, and why.' },
  versions: { type: 'object', additionalProperties: text, description: 'With include=versions: name → version.' },
  infrastructure: {
    ...whole({
      cdn: textOrNull,
      dns: { ...texts, description: 'Registrable domains of the name servers.' },
      ip: textOrNull,
      tlsIssuer: textOrNull,
      server: textOrNull,
    }),
    description: 'With include=infrastructure: where the site runs, as its connection showed it.',
  },
  timing: {
    ...whole({ fetch: milliseconds, evidence: milliseconds, match: milliseconds, total: milliseconds }),
    description: 'With include=timing: milliseconds of each stage of the scan.',
  },
  warnings: { ...texts, description: 'With include=warnings: what was cut or not looked at.' },
} as const
