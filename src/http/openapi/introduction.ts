import { REVISION_1_PER_MINUTE } from '../../service/rate-limit.ts'
import type { Revision } from '../../service/request-state.ts'
import { UNKNOWN_KEYS_A_MINUTE } from '../auth.ts'
import type { AppSettings } from '../parts.ts'
import { findBasePath } from '../trailing-slash.ts'

interface IntroductionParts {
  readonly revision: Revision
  readonly settings: Pick<AppSettings, 'plans' | 'apiRevision' | 'publicUrl'>
  /** Whether people can get a key on a page of the service. */
  readonly hasPortal: boolean
}

/** Writes the introduction of an OpenAPI document in Markdown: keys, limits, errors, and what clients must be prepared for. */
export function writeIntroduction({ revision, settings, hasPortal }: IntroductionParts): string {
  return [
    'Detects what a website is made with: builder, technologies, hosting provider and type of site.',
    describeRevision(revision, settings),
    '## Keys',
    `Every request needs an API key, as \`Authorization: Bearer <key>\` or as \`X-Api-Key: <key>\`. ${
      hasPortal
        ? 'Sign up or log in at the [start page](/) of this service to get one; if sign-up is closed, ask its operator.'
        : 'The operator of this service issues keys.'
    } Never put a key into a URL or a page.`,
    '## Limits',
    `Requests are counted per key and clock minute (\`X-RateLimit-*\`); scans with a 200 response, cached or not, also count per calendar month in UTC${
      revision === 2 ? ' (`X-Quota-*`)' : ''
    }. Beyond a limit the response is 429 with \`Retry-After\`. Without a valid key, an address may try ${UNKNOWN_KEYS_A_MINUTE} keys a minute.`,
    ...(hasPortal
      ? [
          'The limits of a key of an account belong to its slot in the account: a key that replaces another one continues its counts.',
        ]
      : []),
    formatPlans(settings.plans, revision),
    'A scan takes at most 10 seconds, and a response at most 18. Set the time limit of your client to 20 seconds.',
    '## Errors',
    describeErrors(revision),
    '## Compatibility',
    'Later versions add fields to responses and values to lists (`x-extensible-enum`). Clients must accept fields and values that they do not know. Requests are strict: an unknown parameter is rejected with the list of known ones.',
  ].join('\n\n')
}

function describeRevision(revision: Revision, { apiRevision, publicUrl }: IntroductionParts['settings']): string {
  const [other, path] = revision === 2 ? ['1', '/openapi-1.json'] : ['2', '/openapi.json']
  const whose =
    revision === apiRevision ? 'all keys that are not pinned to another revision' : 'keys that are pinned to it'
  return `This document describes revision ${revision} of version 1, which applies to ${whose}. Revision ${other} is described by [${path}](${findBasePath(publicUrl)}${path}).`
}

function formatPlans(plans: AppSettings['plans'], revision: Revision): string {
  const rows = [...plans.values()].map(
    ({ name, perMinute, perMonth }) =>
      `| \`${name}\` | ${revision === 1 ? REVISION_1_PER_MINUTE : perMinute} | ${perMonth.toLocaleString('en-US')} |`,
  )
  return ['| plan | requests a minute | scans a month |', '|---|---|---|', ...rows].join('\n')
}

function describeErrors(revision: Revision): string {
  const fields = '`error`, a sentence for people; `code`, a stable word for programs'
  const retryable =
    revision === 2 ? '; `retryable`, whether the same request may succeed later (after `Retry-After`, if present)' : ''
  return `Every error has ${fields}${retryable}; and \`requestId\`, for questions to the operator. 401 always means a problem with the key, never with the quota. A failed scan is 500 and is not charged.`
}
