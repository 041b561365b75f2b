import type { CommandIo } from '../command/command.ts'
import { formatCount } from '../command/format-count.ts'
import type { ScannedPage } from '../formats/scan-record.ts'

/** What `--fail-on` accepts. */
export const FAIL_ON = ['ended'] as const

/** Whether a page has a version whose support has ended. A version that a distribution may still patch does not count. */
export function hasEnded({ details }: Pick<ScannedPage, 'details'>): boolean {
  return details.some(({ support }) => support?.state === 'ended' && support.certain)
}

/** Says on stderr how many pages have versions whose support has ended. @returns whether there are any */
export function reportEnded(pages: number, { stderr }: Pick<CommandIo, 'stderr'>): boolean {
  if (pages === 0) return false
  stderr.write(`${formatCount(pages, 'page')} with versions whose support has ended\n`)
  return true
}
