import { createHash } from 'node:crypto'
import type { LiveExtra } from '../../scan/extras.ts'
import type { FormReader } from '../form.ts'

/** The extras that the form offers, with their labels. */
export const EXTRA_LABELS: readonly (readonly [extra: LiveExtra, label: string])[] = [
  ['versions', 'Versions of the technologies'],
  ['details', 'Category of each technology, and whether its version is still supported'],
  ['packages', 'npm packages that the page loads'],
  ['infrastructure', 'DNS, address, network and certificate'],
  ['page', 'What came back instead of the site, such as a parked domain'],
  ['evidence', 'Evidence of each statement'],
  ['meta', 'Time of the scan and version of the rules'],
]

/** Chosen in a new form: the report uses them. */
const USUAL_EXTRAS: ReadonlySet<string> = new Set(['versions', 'details', 'page'])

/** The values of the form, without its file. */
export interface BatchFormValues {
  readonly urls: string
  readonly column: string
  /** Id of the key to charge; empty if none was chosen. */
  readonly key: string
  readonly fresh: boolean
  readonly include: readonly string[]
}

/** A longer list is not shown again after an error: the browser still has it one page back. */
const MAX_SHOWN_CHARACTERS = 256 * 1024

/** The values of a new form. */
export const NEW_FORM: BatchFormValues = { urls: '', column: '', key: '', fresh: false, include: [...USUAL_EXTRAS] }

/** Reads the values of a form. */
export function readBatchForm(form: FormReader): BatchFormValues {
  const urls = form.secret('urls')
  return {
    urls: urls.length > MAX_SHOWN_CHARACTERS ? '' : urls,
    column: form.text('column'),
    key: form.text('key'),
    fresh: form.has('fresh'),
    include: EXTRA_LABELS.flatMap(([extra]) => (form.has(`include-${extra}`) ? [extra] : [])),
  }
}

/** The idempotency key of a form, so that one that is sent twice creates one batch. A form with other values creates another one. */
export function buildFormKey(form: string, values: readonly unknown[]): string {
  const digest = createHash('sha256').update(JSON.stringify([form, values]))
  return `portal-${digest.digest('base64url')}`
}
