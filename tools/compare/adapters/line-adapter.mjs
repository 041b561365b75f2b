// What adapters in JavaScript share. An adapter is a command that reads pages as lines and writes what a detector names on each:
// docs/benchmark.md describes the lines.
import { createInterface } from 'node:readline'

/**
 * Responds to every page of standard input.
 * @param {{ version?: string, rules?: number, canDouble?: boolean }} info about the detector
 * @param {(page: { id: string, url?: string | null, status?: number | null, headers?: [string, string][] | null, html?: string | null }) =>
 *   { names: string[], versions?: Record<string, string> } | Promise<{ names: string[], versions?: Record<string, string> }>} detect
 */
export async function runAdapter(info, detect) {
  write(info)
  for await (const text of createInterface({ input: process.stdin })) {
    const page = JSON.parse(text)
    const started = performance.now()
    try {
      const { names, versions } = await detect(page)
      write({ id: page.id, names, versions, ms: performance.now() - started })
    } catch (error) {
      write({ id: page.id, error: String(error) })
    }
  }
}

function write(line) {
  process.stdout.write(`${JSON.stringify(line)}\n`)
}

/** Headers as lists of values by name in lower case. */
export function groupHeaders(headers) {
  const groups = {}
  for (const [name, value] of headers ?? []) (groups[name.toLowerCase()] ??= []).push(value)
  return groups
}

/** Reads an argument such as --rules FOLDER. Ends the process if it is missing. */
export function readArgument(name) {
  const at = process.argv.indexOf(name)
  const value = at === -1 ? undefined : process.argv[at + 1]
  if (value !== undefined) return value
  console.error(`${name} is missing: docs/benchmark.md describes the arguments of this adapter`)
  process.exit(2)
}

/** Whether each rule is to be loaded once more under another name. */
export const isTwice = process.argv.includes('--twice')
