import { readFile } from 'node:fs/promises'
import type { PageInput } from '../../index.ts'
import { checkAddress, UsageError } from '../command.ts'

/** Names of files, as the options of a command give them. */
export interface SavedPage {
  readonly html: string
  /** The address it came from. */
  readonly url?: string | undefined
  /** A JSON file. */
  readonly headers?: string | undefined
}

/**
 * Reads a saved page with the headers that lie beside it.
 * @throws UsageError for an address or headers that are none
 */
export async function readSavedPage({ html, url, headers }: SavedPage): Promise<PageInput> {
  checkAddress(url)
  return {
    html: await readFile(html),
    ...(url && { url }),
    ...(headers !== undefined && { headers: await readHeaders(headers) }),
  }
}

async function readHeaders(file: string): Promise<NonNullable<PageInput['headers']>> {
  let headers: unknown
  try {
    headers = JSON.parse((await readFile(file, 'utf8')).replace(/^\ufeff/, ''))
  } catch (error) {
    if (error instanceof SyntaxError) throw new UsageError(`${file} is no JSON: ${error.message}`)
    throw error
  }
  if (!areHeaders(headers))
    throw new UsageError(`${file} must hold {name: value} or [[name, value], …], values text or lists of text`)
  return headers
}

function areHeaders(headers: unknown): headers is NonNullable<PageInput['headers']> {
  if (typeof headers !== 'object' || headers === null) return false
  const isText = (value: unknown): boolean => typeof value === 'string'
  if (Array.isArray(headers))
    return headers.every((pair) => Array.isArray(pair) && pair.length === 2 && pair.every(isText))
  return Object.values(headers).every((value) => isText(value) || (Array.isArray(value) && value.every(isText)))
}
