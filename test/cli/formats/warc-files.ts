import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { readWarc, type WarcPage } from '../../../src/cli/formats/warc.ts'
import { writeFolder } from '../../support/rule-folder.ts'

/** Headers in the order they are written. */
export type Headers = Readonly<Record<string, string>>

/** A WARC record; its length is correct, unless `headers` overrides it. */
export function record(type: string, headers: Headers, block: string | Uint8Array = ''): Buffer {
  const content = Buffer.from(block as string)
  const all = { 'WARC-Type': type, 'WARC-Record-ID': '<urn:uuid:1>', 'Content-Length': content.length, ...headers }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  return Buffer.concat([Buffer.from(`WARC/1.1\r\n${lines.join('')}\r\n`), content, Buffer.from('\r\n\r\n')])
}

/** The record of an HTTP response. */
export function response(url: string, http: Headers, body: string | Uint8Array, warc: Headers = {}): Buffer {
  const lines = Object.entries(http).map(([name, value]) => `${name}: ${value}\r\n`)
  const block = Buffer.concat([Buffer.from(`HTTP/1.1 200 OK\r\n${lines.join('')}\r\n`), Buffer.from(body as string)])
  const type = 'application/http; msgtype=response'
  return record('response', { 'WARC-Target-URI': url, 'Content-Type': type, ...warc }, block)
}

export const HTML: Headers = { 'Content-Type': 'text/html; charset=utf-8' }
export const titled = (title: string): string => `<!doctype html><title>${title}</title>`
/** The record of a plain page, `https://acme.com/<name>`. */
export const pageRecord = (name: string): Buffer => response(`https://acme.com/${name}`, HTML, titled(name))

/** The three forms of a WARC file. */
export const PACKINGS: readonly (readonly [string, (records: readonly Buffer[]) => Buffer])[] = [
  ['plain', (records) => Buffer.concat(records)],
  ['gzip, one member per record', (records) => Buffer.concat(records.map((one) => gzipSync(one)))],
  ['gzip, one member', (records) => gzipSync(Buffer.concat(records))],
]
export const [plain, packedEach, packedWhole] = PACKINGS.map(([, pack]) => pack)

export function writeWarc(bytes: Uint8Array): string {
  const file = join(writeFolder({}), 'file.warc')
  writeFileSync(file, bytes)
  return file
}

export async function readPages(bytes: Uint8Array): Promise<WarcPage[]> {
  const pages: WarcPage[] = []
  for await (const page of readWarc(writeWarc(bytes))) pages.push(page)
  return pages
}

/** Formats a page: the text of its body, or its error after an exclamation mark. */
export function formatPage(page: WarcPage | undefined): string {
  if (page === undefined) return 'nothing'
  return 'error' in page ? `!${page.error}` : Buffer.from(page.page.html as Uint8Array).toString('latin1')
}
