import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { beforeAll, expect, test } from 'vitest'
import { buildJsonFormat } from '../../src/cli/formats/record-format.ts'
import { RecordWriter } from '../../src/cli/formats/record-writer.ts'
import { scanBatch } from '../../src/cli/scan/scan-batch.ts'
import { isInShard, parseShard } from '../../src/cli/scan/shard.ts'
import { openPageMatcher, type PageMatcher } from '../../src/detector/detector.ts'
import { builtWorker } from '../detector/built-worker.ts'
import { smallProject } from '../support/built-project.ts'
import { onFileEnd } from '../support/on-file-end.ts'
import { HTML, packedEach, response, titled } from './formats/warc-files.ts'

const folder = mkdtempSync(join(tmpdir(), 'siteprint-shards-'))
onFileEnd(() => rmSync(folder, { recursive: true, force: true }))

function writeLines(name: string, count: number): string {
  const file = join(folder, name)
  const lines = Array.from({ length: count }, (_, n) => JSON.stringify({ id: `${name} ${n}`, html: '<p>One page' }))
  writeFileSync(file, `${lines.join('\n')}\n`)
  return file
}

function writeArchive(name: string, count: number): string {
  const records = Array.from({ length: count }, (_, n) =>
    response(`https://acme.com/${n}`, HTML, titled(`Page ${n}`), { 'WARC-Record-ID': `<urn:uuid:${n}>` }),
  )
  const file = join(folder, name)
  writeFileSync(file, packedEach(records))
  return file
}

let matcher: PageMatcher
beforeAll(async () => {
  matcher = await openPageMatcher({ worker: builtWorker(smallProject()), threads: 1 })
})
onFileEnd(() => matcher?.close())

/** Scans a part of some files as the command does. @returns what is written of each page */
async function scanPart(
  format: 'batch' | 'warc',
  inputs: readonly string[],
  shard: string | undefined,
): Promise<string[]> {
  const lines: string[] = []
  const sink = { write: async (text: string) => void lines.push(text), close: async () => {} }
  const output = { sink, format: buildJsonFormat({ withMeta: false }) }
  const writer = new RecordWriter({ output, table: null })
  const options = { inputs, format, writer, matcher, shard: parseShard(shard), include: [], threads: 1 }
  await scanBatch(options, { stdout: new PassThrough(), stderr: new PassThrough(), env: {} })
  return lines
}

test.each([
  ['batch', 50, [writeLines('a.jsonl', 30), writeLines('b.jsonl', 20)]],
  ['warc', 48, [writeArchive('pages.warc.gz', 48)]],
] as const)('sixteen shards of %s files are together the %d lines of one run', async (format, count, files) => {
  const all = await scanPart(format, files, undefined)
  expect(all).toHaveLength(count)
  const shards: string[] = []
  for (let part = 1; part <= 16; part++) shards.push(...(await scanPart(format, files, `${part}/16`)))
  expect(shards.sort()).toEqual(all.sort())
})

test('the command scans its shard', async () => {
  const file = writeLines('c.jsonl', 20)
  const scan = async (...args: string[]): Promise<string> =>
    (await smallProject().run('scan', ['--batch', file, ...args])).stdout
  const numbers = (text: string): string[] => text.match(/c\.jsonl \d+/g) ?? []
  const own = numbers(await scan('--shard', '2/3'))
  expect(own.length).toBeGreaterThan(0)
  expect(own).toEqual(
    Array.from({ length: 20 }, (_, n) => n + 1)
      .filter((line) => isInShard(`c.jsonl:${line}`, { part: 2, of: 3 }))
      .map((line) => `c.jsonl ${line - 1}`),
  )
})

test.each(['0/3', '4/3', '1', '1/0', 'a/b', '1/3/5', '-1/3'])('--shard %s is rejected', (text) => {
  expect(() => parseShard(text)).toThrow('such as 3/16')
})

test('each name is in exactly one shard, about equally many in each', () => {
  const counts = Array(16).fill(0)
  for (let n = 0; n < 1600; n++) {
    const parts = counts.flatMap((_, i) => (isInShard(`page ${n}`, { part: i + 1, of: 16 }) ? [i] : []))
    expect(parts).toHaveLength(1)
    counts[parts[0]]++
  }
  expect(Math.min(...counts)).toBeGreaterThan(60)
  expect(isInShard('page', null)).toBe(true)
})
