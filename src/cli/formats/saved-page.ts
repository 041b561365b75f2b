import { readFile } from 'node:fs/promises'
import type { PageInput } from '../../index.ts'
import { checkAddress, UsageError } from '../command/command.ts'

/** Values of the options that describe a saved page; `html` and `headers` are names of files. */
export interface SavedPage {
  readonly html: string
  /** The address of the page. */
  readonly url?: string | undefined
  /** Name of a JSON file. */
  readonly headers?: string | undefined
}

/**
 * Reads a saved page and its headers.
 * @throws UsageError for an invalid address or headers
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
    if (error instanceof SyntaxError) throw new UsageError(`${file} is not valid JSON: ${error.message}`)
    throw error
  }
  if (!areHeaders(headers))
    throw new UsageError(
      `${file} must contain {name: value} or [[name, value], …], where each value is a string or a list of strings`,
    )
  return headers
}

function areHeaders(headers: unknown): headers is NonNullable<PageInput['headers']> {
  if (typeof headers !== 'object' || headers === null) return false
  const isText = (value: unknown): boolean => typeof value === 'string'
  if (Array.isArray(headers))
    return headers.every((pair) => Array.isArray(pair) && pair.length === 2 && pair.every(isText))
  return Object.values(headers).every((value) => isText(value) || (Array.isArray(value) && value.every(isText)))
}
