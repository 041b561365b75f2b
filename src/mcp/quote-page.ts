import { makeVisible } from '../engine/text/visible-text.ts'
import type { Evidence } from '../engine/verdict/verdict-types.ts'
import type { SiteResult } from './backend.ts'
import { type FromPage, QUOTED, type ToolDetail, type ToolEvidence } from './tool-schemas.ts'

/** Characters of a quoted text. */
const MAX_TEXT_CHARACTERS = 160
/** Quoted texts of one clause. */
const MAX_TEXTS = 3
/** Entries of the evidence, those of the verdict first. */
const MAX_EVIDENCE = 25

/** Quotes what a result contains of the scanned page; undefined if that is nothing. */
export function quotePage({ meta, versions, details, infrastructure, evidence }: SiteResult): FromPage | undefined {
  const quoted = {
    ...(meta && { title: meta.title === null ? null : quote(meta.title) }),
    ...(versions && { versions: quoteAll(versions) }),
    ...(details && { details: details.map(quoteDetail) }),
    ...(infrastructure && { infrastructure: quoteAll(infrastructure) }),
    ...(evidence && quoteEvidence(evidence)),
  }
  return Object.keys(quoted).length === 0 ? undefined : { ...QUOTED, ...quoted }
}

/** Quotes evidence: what is part of the verdict first, and cut to what a context window can bear. */
export function quoteEvidence(evidence: readonly Evidence[]): Pick<FromPage, 'evidence' | 'evidenceLeftOff'> {
  const sorted = evidence.toSorted((a, b) => Number(b.chosen) - Number(a.chosen) || b.points - a.points)
  return {
    evidence: sorted.slice(0, MAX_EVIDENCE).map(quoteOne),
    ...(sorted.length > MAX_EVIDENCE && { evidenceLeftOff: sorted.length - MAX_EVIDENCE }),
  }
}

function quoteDetail({
  category,
  support,
  website: _,
  ...detail
}: NonNullable<SiteResult['details']>[number]): ToolDetail {
  const { state, ends, latest, certain } = support ?? {}
  return quoteAll({
    ...detail,
    category: category.slug,
    support: support && { state, ends, latest, certain },
  }) as ToolDetail
}

function quoteOne({ kind, slug, name, level, chosen, note, clauses }: Evidence): ToolEvidence {
  const quoted = clauses.map(({ clause, texts }) => ({
    clause: makeVisible(clause),
    found: texts.slice(0, MAX_TEXTS).map(quote),
  }))
  return { kind, slug, name, detected: chosen, level, note: note ?? null, clauses: quoted }
}

/** Cuts a text of a page, and removes the characters that hide or reorder text. */
function quote(text: string): string {
  return makeVisible(text, MAX_TEXT_CHARACTERS)
}

/** Quotes all texts of a value, names included. */
function quoteAll<T>(value: T): T {
  return JSON.parse(JSON.stringify(value), (_, one: unknown) => (typeof one === 'string' ? quote(one) : one))
}
