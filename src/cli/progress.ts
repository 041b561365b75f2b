import { type Options, SingleBar } from 'cli-progress'

/** A progress bar on standard error, where that is a terminal. */
export function openBar(format: string, more: Options = {}): SingleBar {
  return new SingleBar({
    stream: process.stderr,
    format: `{bar} {percentage} % | ${format} | {eta_formatted} left`,
    noTTYOutput: false,
    clearOnComplete: true,
    etaBuffer: 50,
    ...more,
  })
}
