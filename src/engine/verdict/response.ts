import type { Ruleset } from '../lookup/ruleset.ts'
import { findHeader } from '../page/find-header.ts'
import { isEmpty } from '../page/is-empty.ts'
import type { Page } from '../page/page-types.ts'
import { SITE_FAMILIES } from '../rule/place.ts'
import type { CompiledRule, PageState, RuleSummary } from '../rule/types.ts'
import { drop, lift, type ScoredRules } from './relations.ts'
import { rankLevel, type ScoredRule } from './score.ts'
import type { PageAnswer } from './verdict-types.ts'

/** States of status codes, for an answer that no rule knows. Other codes from 500 are errors of a server, as are those from 400. */
const STATES: ReadonlyMap<number, PageState> = new Map([
  [401, 'login'],
  [403, 'wall'],
  [404, 'missing'],
  [406, 'wall'],
  [407, 'wall'],
  [410, 'missing'],
  [418, 'wall'],
  [429, 'wall'],
  [451, 'wall'],
  [999, 'wall'],
])
const UNAVAILABLE = 503

/**
 * Chooses among the responses the rule of what came back instead of the site: by points and families. A rule that names whose page it is comes before
 * one that does not.
 */
export function chooseResponse(responses: readonly ScoredRule[]): ScoredRule | null {
  const found = responses.filter(({ level }) => rankLevel(level) >= rankLevel('medium'))
  const [best] = found.sort(
    (a, b) =>
      Number(namesOwner(b.rule)) - Number(namesOwner(a.rule)) ||
      b.points - a.points ||
      b.families - a.families ||
      (a.rule.slug < b.rule.slug ? -1 : 1),
  )
  return best ?? null
}

function namesOwner({ by, byName }: CompiledRule): boolean {
  return by !== undefined || byName !== undefined
}

/** Finds the rule of the product or provider whose page a response is. */
function findOwner({ by }: CompiledRule, { bySlug, hostingBySlug }: Ruleset): CompiledRule | null {
  return by === undefined ? null : (bySlug.get(by) ?? hostingBySlug.get(by) ?? null)
}

/**
 * Applies what a response says about the other rules: it proves its owner, and the body says nothing about the builder
 * of the site, unless it is a page of the site itself.
 * @param maps builders and technologies, and hosting providers
 */
export function applyResponse(
  response: ScoredRule,
  { products, providers }: { readonly products: ScoredRules; readonly providers: ScoredRules },
  ruleset: Ruleset,
): void {
  const owner = findOwner(response.rule, ruleset)
  if (!response.rule.ofSite)
    for (const one of products.values())
      if (one.rule.kind === 'builder' && one.rule !== owner && !isOfSite(one)) drop(one, 'not the page of the site')
  if (owner !== null && response.level !== null)
    lift(owner.kind === 'hosting' ? providers : products, owner, { level: response.level, by: response })
}

function isOfSite({ held }: ScoredRule): boolean {
  return held.some(({ weight, clause }) => weight !== 'weak' && SITE_FAMILIES.has(clause.family))
}

/** States in which the page shows what the domain is for: nothing so far, or a sale. */
const TYPED_STATES: ReadonlySet<PageState | undefined> = new Set(['default-page', 'parked'])

/** Whether a page of another purpose than the site came back, which says nothing about the type of the site. */
export function hidesSiteType(response: ScoredRule | null): boolean {
  return response !== null && !TYPED_STATES.has(response.rule.state)
}

/** Says what came back. @param type the site type of the page, which may have a state itself */
export function describeAnswer(
  page: Page,
  response: ScoredRule | null,
  { ruleset, type }: { readonly ruleset: Ruleset; readonly type: RuleSummary | undefined },
): PageAnswer {
  const { status } = page
  if (response?.rule.state) {
    const { state, byName } = response.rule
    return { state, by: byName ?? findOwner(response.rule, ruleset)?.name ?? null, status }
  }
  return {
    state: readStatus(page) ?? type?.state ?? (isEmpty(page) ? 'empty' : 'site'),
    by: null,
    status,
  }
}

function readStatus({ status, headers }: Page): PageState | null {
  if (status === null || status < 400) return null
  if (status === UNAVAILABLE && findHeader(headers, 'retry-after') !== undefined) return 'maintenance'
  return STATES.get(status) ?? 'error'
}

/** What came back instead of the site, by its state, as the end of a sentence. */
export const STATE_MEANINGS: Readonly<Record<Exclude<PageState, 'site'>, string>> = {
  wall: 'a check of visitors or a refusal',
  login: 'a login',
  missing: 'a message that there is no site or page at this address',
  error: 'an error of a server',
  maintenance: 'a message about maintenance',
  suspended: 'a message that the site is suspended',
  'default-page': 'the page of a server without a site',
  parked: 'the page of a domain that is parked',
  empty: 'a page that shows nothing',
}

/** Says in a sentence that the site did not come back; nothing if it did. */
export function explainAnswer({ state, by, status }: PageAnswer): string[] {
  if (state === 'site') return []
  const facts = [by, status === null ? null : `status ${status}`].filter((fact) => fact !== null)
  const proof = facts.length === 0 ? '' : ` (${facts.join(', ')})`
  return [`the answer is not the site but ${STATE_MEANINGS[state]}${proof}`]
}
