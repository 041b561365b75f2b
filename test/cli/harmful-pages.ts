import { join } from 'node:path'
import { trapProject, trapRules } from '../detector/trap-rules.ts'
import type { BuiltProject, Outcome } from '../support/built-project.ts'
import { TEST, writeFolder } from '../support/rule-folder.ts'

/** The detector of the trap rules, with another trap: text that blocks the worker without using the processor. */
const buildSleeper = (trap: string): string => `
import trap from ${JSON.stringify(trap)}
const sleep = () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
const read = (page) => (page.text.includes('sleep for ever') && sleep(), trap.read(page))
export default { ...trap, read }
`

/** Commands in a folder with harmful pages: `sleep.html` and `sleep.har`. */
export interface HarmfulPages {
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  /** Runs a command in this folder, with the detector that the pages harm. */
  readonly run: (command: string, args: readonly string[], more?: Readonly<Record<string, string>>) => Promise<Outcome>
}

const har = (text: string): string => {
  const response = { status: 200, headers: [], content: { mimeType: 'text/html', text } }
  const entry = { startedDateTime: '2026-11-22T00:00:00Z', request: { url: 'https://acme.com/' }, response }
  return JSON.stringify({ log: { entries: [entry] } })
}

const record = (text: string, i: number): string => {
  const http = `HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>${text}`
  const head = `WARC/1.1\r\nWARC-Type: response\r\nWARC-Target-URI: https://acme.com/${i}\r\nContent-Type: application/http; msgtype=response`
  return `${head}\r\nContent-Length: ${http.length}\r\n\r\n${http}\r\n\r\n`
}

/** The records of a WARC file with pages of these texts. */
export const warc = (...texts: readonly string[]): string => texts.map(record).join('')

/** The lines of a batch with pages of these texts, whose ids count from 0. */
export const batch = (texts: readonly string[]): string =>
  texts.map((text, i) => `${JSON.stringify({ id: `${i}`, html: `<p>${text}` })}\n`).join('')

/** Reads JSON Lines. */
export const parseLines = (text: string): Record<string, string | undefined>[] =>
  text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))

export async function openHarmfulPages(): Promise<HarmfulPages> {
  const project: BuiltProject = await trapProject()
  const { folders, detectors } = trapRules()
  const cwd = writeFolder({
    'sleep.html': '<p>sleep for ever',
    'sleep.har': har('<p>sleep for ever'),
    'sleeper.mjs': buildSleeper(detectors[0]),
  })
  const env = { RULES_DIRS: folders.join(), DETECTORS: join(cwd, 'sleeper.mjs') }
  return { cwd, env, run: (command, args, more = {}) => project.run(command, args, { cwd, env: { ...env, ...more } }) }
}

/** Writes a rule whose test has a page with this text. @returns the settings that load it */
export function writeSlowRule({ env }: HarmfulPages, text: string): Readonly<Record<string, string>> {
  const html = `\n      html: |\n${`        <p>${text}</p>\n`.repeat(5)}`
  const misses = TEST.slice('hits:\n'.length).replace('acme.com', 'slow.org')
  const name = 'technologies/javascript-library/slow'
  const rule = `name: Slow\nwebsite: https://slow.org\ndetect:\n  - url: slow.org\nsource: https://acme.com\nverified: 2026-11-20\n`
  const tests = `hits:\n  - page: ${html}    confidence: high\n${misses}`
  return { RULES_DIRS: `${env.RULES_DIRS},${writeFolder({ [`${name}.yaml`]: rule, [`${name}.test.yaml`]: tests })}` }
}
