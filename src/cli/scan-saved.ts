import { type Extra, type PageDetector, toResult } from '../index.ts'
import { type CommandIo, EXIT } from './command.ts'
import { readHar } from './formats/har.ts'
import { readSavedPage, type SavedPage } from './formats/saved-page.ts'

interface SavedOptions extends Partial<SavedPage> {
  /** A HAR file, instead of `html`. */
  readonly har?: string | undefined
  readonly include: readonly Extra[]
  /** Called once the input is valid, because loading the rules takes longer than reading the page. */
  readonly openDetector: () => Promise<PageDetector>
}

/** Scans one saved page and prints its result. @returns the exit code */
export async function scanSaved(options: SavedOptions, { stdout, stderr }: CommandIo): Promise<number> {
  const { html, har, url, headers, include, openDetector } = options
  const input = har === undefined ? await readSavedPage({ html: html as string, url, headers }) : await readHar(har)
  const detector = await openDetector()
  const verdict = await detector.detect(input).finally(() => detector.close())
  if (!include.includes('warnings')) for (const warning of verdict.warnings) stderr.write(`${warning}\n`)
  stdout.write(`${JSON.stringify(toResult(verdict, include), null, 2)}\n`)
  return EXIT.ok
}
