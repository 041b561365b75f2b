import { type Extra, type PageDetector, toResult } from '../index.ts'
import { EXIT } from './command.ts'
import { readHar } from './formats/har.ts'
import { readSavedPage, type SavedPage } from './formats/saved-page.ts'

interface SavedOptions extends Partial<SavedPage> {
  /** A file, in place of `html`. */
  readonly har?: string | undefined
  readonly include: readonly Extra[]
  readonly detector: PageDetector
}

/** Scans one saved page and prints its result. */
export async function scanSaved({ html, har, url, headers, include, detector }: SavedOptions): Promise<number> {
  const input = har === undefined ? await readSavedPage({ html: html as string, url, headers }) : await readHar(har)
  const verdict = await detector.detect(input)
  if (!include.includes('warnings')) for (const warning of verdict.warnings) process.stderr.write(`${warning}\n`)
  process.stdout.write(`${JSON.stringify(toResult(verdict, include), null, 2)}\n`)
  return EXIT.fine
}
