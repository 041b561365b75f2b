import { stringify } from 'yaml'

const OPTIONS = { lineWidth: 0, singleQuote: true } as const

/** Formats keys of a rule or a test file as the rules of the project are written: single quotes, long lines not wrapped. */
export function formatKeys(data: unknown): string {
  return stringify(data, OPTIONS)
}

/** Formats a clause in one line. */
export function formatClause(clause: unknown): string {
  return stringify(clause, { ...OPTIONS, collectionStyle: 'flow' }).trim()
}
