import type { FormReader } from '../form.ts'

/** The values of the form for a scan. They are kept when a scan fails. */
export interface ScanFormValues {
  readonly url: string
  readonly fresh: boolean
  /** Id of the key to charge; empty if none was chosen. */
  readonly key: string
}

/** Reads the values from a form, or from the query of a link that prepares one. */
export function readScanForm(form: FormReader): ScanFormValues {
  return { url: form.text('url'), fresh: form.has('fresh'), key: form.text('key') }
}
