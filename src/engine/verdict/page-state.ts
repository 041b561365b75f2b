import type { Page } from '../page/page-types.ts'
import { STATES, type State } from '../rule/types.ts'
import type { ScoredRule } from './score.ts'
import type { ScoredType } from './site-type.ts'
import type { PageState } from './verdict-types.ts'

/** Elements that show something, or that can fill a page later. */
const SHOWING = new Set(
  'audio button canvas embed frame iframe img input meter noscript object picture portal progress script select svg textarea video'.split(
    ' ',
  ),
)

/** States of status codes that do not mean a general error. */
const STATES_BY_STATUS: ReadonlyMap<number, State> = new Map([
  [401, 'wall'],
  [403, 'wall'],
  [404, 'missing'],
  [406, 'wall'],
  [407, 'wall'],
  [410, 'missing'],
  [429, 'wall'],
  [451, 'wall'],
])

/** Chooses the response rule that says most: one that names whose answer it is, then by the order of states, then by slug. */
export function chooseResponse(responses: readonly ScoredRule[]): ScoredRule | null {
  const rank = ({ rule }: ScoredRule): number =>
    (rule.by === undefined ? STATES.length : 0) + STATES.indexOf(rule.state ?? 'error')
  const [first] = responses.toSorted((a, b) => rank(a) - rank(b) || (a.rule.slug < b.rule.slug ? -1 : 1))
  return first ?? null
}

/**
 * Decides what came back: a response rule says it; without one the site type, if its rule has a state, then the status code, and
 * then whether the page shows anything.
 */
export function findPageState(page: Page, response: ScoredRule | null, type: ScoredType | null): PageState {
  const { status } = page
  if (response?.rule.state !== undefined) return { state: response.rule.state, by: response.rule.by ?? null, status }
  return { state: type?.rule.state ?? readStatus(page) ?? (isEmpty(page) ? 'empty' : 'site'), by: null, status }
}

function readStatus({ status, headers }: Pick<Page, 'status' | 'headers'>): State | null {
  if (status === null || status < 400) return null
  const has = (name: string): boolean => headers?.some(([header]) => header === name) ?? false
  if (status === 401 && has('www-authenticate')) return 'login'
  if (status === 503 && has('retry-after')) return 'maintenance'
  return STATES_BY_STATUS.get(status) ?? 'error'
}

/** Whether a page has neither text nor an element that shows something. Without a body, nothing was looked at. */
function isEmpty({ html, words, text, tape, title }: Page): boolean {
  if (html === '' || words > 0 || text !== '' || title) return false
  return !tape.tags.some((tag) => SHOWING.has(tag) || tag.includes('-'))
}

const SENTENCES: Readonly<Record<State, string>> = {
  wall: 'a wall that refuses or tests visitors',
  login: 'a login in front of the site',
  suspended: 'a notice that the site is suspended',
  maintenance: 'a notice of maintenance',
  missing: 'a notice that there is no page or no site at this address',
  error: 'an error of a server or proxy',
  'default-page': 'the default page of a server',
  parked: 'the page of a parked domain',
  empty: 'a page that shows nothing',
}

/** Says in one sentence what came back instead of the site. Empty for a site. */
export function explainPageState({ state, by, status }: PageState): string[] {
  if (state === 'site') return []
  const whose = by === null ? '' : `, by ${by}`
  const code = status === null ? '' : ` (status ${status})`
  return [`the answer is not the site but ${SENTENCES[state]}${whose}${code}`]
}
