import { createHash } from 'node:crypto'
import type { Ruleset } from '../../engine/lookup/ruleset.ts'
import { buildPage, type PageInput } from '../../engine/page/page.ts'
import { findSite } from '../../engine/text/url.ts'
import { analyzePage } from '../../engine/verdict/analyze-page.ts'

/** The label of a page that fits no type of the list. */
export const NO_TYPE = 'other'

/** A page with the type of its site, as a reader sees it. */
export interface LabelledPage extends PageInput {
  readonly id: string
  readonly siteType: string
}

/** A labelled page with everything that the fit needs of it. */
export interface LabelledSite {
  readonly id: string
  /** Registrable domain, or the id of a page without a URL. */
  readonly site: string
  readonly siteType: string
  /** Ids of the clauses that hold. */
  readonly clauses: readonly string[]
  readonly words: number
}

/** Evaluates every clause of the site types on a page, once. */
export function readLabelledPage(ruleset: Ruleset, { id, siteType, ...input }: LabelledPage): LabelledSite {
  const page = buildPage(input)
  const { heldTypeClauses } = analyzePage(ruleset, page)
  const host = page.url?.host
  const site = host === undefined ? id : findSite(host)
  return { id, site, siteType, clauses: heldTypeClauses.map(({ clause }) => clause.id), words: page.words }
}

/** Number of parts into which sites are divided; one of them can be held out. */
const PARTS = 5

/** Finds the part of a site, 0 to 4, by the first byte of the SHA-256 of its domain. All pages of a site are in one part. */
export function findPart(site: string): number {
  return createHash('sha256').update(site).digest()[0] % PARTS
}

/** The part that is held out: points are not fitted to it while clauses are written. */
export const HELD_OUT_PART = 0

/** Number of folds of the cross-validation. */
export const FOLDS = 5

/**
 * Finds the fold of a site, by a different byte from the part, so that folds of the remaining parts are of equal size.
 */
export function findFold(site: string): number {
  return createHash('sha256').update(site).digest()[1] % FOLDS
}
