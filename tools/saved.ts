import { readFile } from 'node:fs/promises'
import { buildPage, detect, type Extra, type PageInput, type Ruleset, toResult } from '../src/index.ts'
import { checkAddress, EXIT, UsageError } from './command.ts'
import { readHar } from './har.ts'

interface SavedOptions {
  readonly html?: string | undefined
  readonly har?: string | undefined
  readonly url?: string | undefined
  /** A JSON file. */
  readonly headers?: string | undefined
  readonly include: readonly Extra[]
  readonly ruleset: Ruleset
}

/** Scans one saved page and prints its result. */
export async function scanSaved({ html, har, url, headers, include, ruleset }: SavedOptions): Promise<number> {
  const input =
    har === undefined
      ? { html: await readFile(html as string), ...(await readAnswer(url, headers)) }
      : await readHar(har)
  const verdict = detect(ruleset, buildPage(input))
  if (!include.includes('warnings')) for (const warning of verdict.warnings) process.stderr.write(`${warning}\n`)
  process.stdout.write(`${JSON.stringify(toResult(verdict, include), null, 2)}\n`)
  return EXIT.fine
}

async function readAnswer(url: string | undefined, headersFile: string | undefined): Promise<PageInput> {
  checkAddress(url)
  if (headersFile === undefined) return { ...(url && { url }) }
  let headers: unknown
  try {
    headers = JSON.parse((await readFile(headersFile, 'utf8')).replace(/^\ufeff/, ''))
  } catch (error) {
    if (error instanceof SyntaxError) throw new UsageError(`${headersFile} is no JSON: ${error.message}`)
    throw error
  }
  if (!areHeaders(headers))
    throw new UsageError(`${headersFile} must hold {name: value} or [[name, value], …], values text or lists of text`)
  return { ...(url && { url }), headers: headers as PageInput['headers'] }
}

function areHeaders(headers: unknown): boolean {
  if (typeof headers !== 'object' || headers === null) return false
  const isText = (value: unknown): boolean => typeof value === 'string'
  if (Array.isArray(headers))
    return headers.every((pair) => Array.isArray(pair) && pair.length === 2 && pair.every(isText))
  return Object.values(headers).every((value) => isText(value) || (Array.isArray(value) && value.every(isText)))
}
