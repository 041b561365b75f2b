import { type Options, SingleBar } from 'cli-progress'
import type { CommandIo } from './command.ts'

/** Creates a progress bar on stderr. It draws nothing unless that is a terminal. */
export function createProgressBar(
  { stderr }: Pick<CommandIo, 'stderr'>,
  format: string,
  more: Options = {},
): SingleBar {
  return new SingleBar({
    stream: stderr,
    format: `{bar} {percentage} % | ${format} | {eta_formatted} left`,
    noTTYOutput: false,
    clearOnComplete: true,
    etaBuffer: 50,
    ...more,
  })
}
