import { MAX_PAGES } from '../../keys/plans.ts'
import type { FormReader } from '../form.ts'

/** The values of the form for a scan. They are kept when a scan fails. */
export interface ScanFormValues {
  readonly url: string
  readonly fresh: boolean
  /** How many pages of the site are read. */
  readonly pages: number
  /** Whether a browser runs the page. */
  readonly render: boolean
  /** Id of the key to charge; empty if none was chosen. */
  readonly key: string
}

/** Reads the values from a form, or from the query of a link that prepares one. */
export function readScanForm(form: FormReader): ScanFormValues {
  const pages = form.text('pages')
  return {
    url: form.text('url'),
    fresh: form.has('fresh'),
    pages: /^[2-9]$/.test(pages) ? Math.min(Number(pages), MAX_PAGES) : 1,
    render: form.has('render'),
    key: form.text('key'),
  }
}
