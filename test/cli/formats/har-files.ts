import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { writeFolder } from '../../support/rule-folder.ts'

/** The parts of a response that a test sets; the others are as browsers write them. */
export interface ResponseParts {
  readonly url?: unknown
  readonly status?: unknown
  readonly type?: unknown
  readonly headers?: unknown
  readonly content?: unknown
}

export const html = '<!doctype html><title>Acme</title>'

/** An entry as browsers write it; `more` are additional keys. */
export function entry(
  { url, status = 200, type = 'text/html', headers = [], content }: ResponseParts,
  more: object = {},
): object {
  const response = { status, headers, content: content ?? { size: html.length, mimeType: type, text: html } }
  return { request: { method: 'GET', url: url ?? 'https://acme.com/' }, response, ...more }
}

export function writeHar(content: unknown): string {
  const file = join(writeFolder({}), 'page.har')
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content))
  return file
}

/** Writes a HAR with these entries. */
export const har = (entries: unknown, log: object = {}): string =>
  writeHar({ log: { version: '1.2', ...log, entries } })
