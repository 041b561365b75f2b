import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { isInShard, parseShard } from '../../src/cli/scan/shard.ts'
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

test('the shards of several files are together the lines of one run', async () => {
  const files = [writeLines('a.jsonl', 30), writeLines('b.jsonl', 20)]
  const scan = async (...args: string[]): Promise<string[]> => {
    const { code, stdout } = await smallProject().run('scan', ['--batch', ...files, ...args])
    expect(code).toBe(0)
    return stdout.split('\n').filter(Boolean)
  }
  const all = await scan()
  expect(all).toHaveLength(50)
  const shards = []
  for (let part = 1; part <= 3; part++) shards.push(...(await scan('--shard', `${part}/3`)))
  expect(shards.sort()).toEqual(all.sort())
})

test('sixteen shards of an archive are together the lines of one run', async () => {
  const records = Array.from({ length: 48 }, (_, n) =>
    response(`https://acme.com/${n}`, HTML, titled(`Page ${n}`), { 'WARC-Record-ID': `<urn:uuid:${n}>` }),
  )
  const file = join(folder, 'pages.warc.gz')
  writeFileSync(file, packedEach(records))
  const scan = async (...args: string[]): Promise<string[]> =>
    (await smallProject().run('scan', ['--warc', file, ...args])).stdout.split('\n').filter(Boolean)
  const all = await scan()
  expect(all).toHaveLength(48)
  const shards: string[] = []
  for (let part = 1; part <= 16; part++) shards.push(...(await scan('--shard', `${part}/16`)))
  expect(shards.sort()).toEqual(all.sort())
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
