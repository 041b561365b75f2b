import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { constants, gunzipSync, gzipSync } from 'node:zlib'
import { beforeAll, describe, expect, test } from 'vitest'
import { type BuiltProject, type Outcome, smallProject } from '../support/built-project.ts'
import { writeFolder } from '../support/rule-folder.ts'
import { plain, record } from './formats/warc-files.ts'

interface OutputLine {
  readonly id?: string
  readonly line?: number
  readonly result?: Readonly<Record<string, unknown>>
  readonly error?: string
  readonly code?: string
}

let project: BuiltProject
let cwd: string
beforeAll(() => {
  project = smallProject()
  cwd = writeFolder({})
})

const good = (id: string): string => JSON.stringify({ id, html: '<meta name="generator" content="WordPress 6.6">' })

/** Scans a file with this content. */
function run(content: string | Uint8Array, name = 'in.jsonl', ...args: string[]): Promise<Outcome> {
  writeFileSync(join(cwd, name), content)
  return project.run('scan', ['--batch', name, ...args], { cwd })
}

/** Reads lines that each have an end. */
function parseLines(text: string): OutputLine[] {
  const lines = text.split('\n')
  expect(lines.pop()).toBe('')
  return lines.map((line): OutputLine => JSON.parse(line))
}

/** Scans a file with this content, and reads the results that are printed. */
async function batch(...args: Parameters<typeof run>): Promise<Outcome & { lines: OutputLine[] }> {
  const outcome = await run(...args)
  return { ...outcome, lines: parseLines(outcome.stdout) }
}

describe('a batch', () => {
  test('has one result per line, in the order of the input', async () => {
    const ids = Array.from({ length: 50 }, (_, i) => `page ${(i * 37) % 50}`)
    const { code, lines, stderr } = await batch(ids.map((id) => `${good(id)}\n`).join(''))
    expect({ code, stderr }).toEqual({ code: 0, stderr: '50 pages, 0 failed\n' })
    expect(lines.map(({ id }) => id)).toEqual(ids)
    expect(Object.keys(lines[0])).toEqual(['id', 'result'])
    // The ten fields, and what came back: these pages show nothing.
    expect(Object.keys(lines[0].result ?? {})).toHaveLength(11)
    expect(lines[0].result).toMatchObject({ page: { state: 'empty', by: null } })
  })

  test('accepts any subset of the fields; null is the same as absent, and other fields are ignored', async () => {
    const seen = {
      url: 'https://acme.com/',
      status: 200,
      headers: [['link', '<https://acme.com/wp-json/>; rel="https://api.w.org/"']],
      html: '',
    }
    const full = { id: 'full', ...seen, label: 'x', dns: 5 }
    const empty = { id: 'empty', url: null, status: null, headers: null, html: null }
    const { code, lines } = await batch([full, empty, { id: '' }].map((line) => JSON.stringify(line)).join('\n'))
    expect(code).toBe(0)
    expect(lines.map(({ result }) => result?.builder)).toEqual(['WordPress', null, null])
    expect(lines.map(({ id }) => id)).toEqual(['full', 'empty', ''])
  })

  test('continues after an invalid line; accepts every line end; empty lines count but have no result', async () => {
    const content = `\ufeff${good('a')}\r\n\r\n  \n${good('b')}\n\n{\n[]\n${good('c')}`
    const { code, lines, stderr } = await batch(content)
    expect({ code, stderr }).toEqual({ code: 1, stderr: '5 pages, 2 failed\n' })
    expect(lines.map(({ id, line }) => id ?? line)).toEqual(['a', 'b', 6, 7, 'c'])
  })

  test.each([
    ['empty', ''],
    ['empty lines', '\n\r\n\n'],
  ])('without lines is wrong usage: %s', async (_, content) => {
    const { code, stdout, stderr } = await batch(content)
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toContain('contains no page: write one JSON object per line')
  })
})

test('a WARC file without HTML responses is wrong usage', async () => {
  writeFileSync(join(cwd, 'none.warc'), plain([record('warcinfo', {})]))
  const { code, stderr } = await project.run('scan', ['--warc', 'none.warc'], { cwd })
  expect({ code, stderr }).toEqual({
    code: 2,
    stderr: 'none.warc contains no page: record the HTML responses of the pages, too\n',
  })
})

describe('gzip', () => {
  test.each<[string, Uint8Array, string[]]>([
    ['one member', gzipSync(`${good('a')}\n${good('b')}\n`), ['a', 'b']],
    [
      'several members, cut inside a line',
      Buffer.concat([`${good('a')}\n{"id":`, '"b"}\n', good('c')].map((part) => gzipSync(part))),
      ['a', 'b', 'c'],
    ],
  ])('%s', async (_, bytes, ids) => {
    const { code, lines } = await batch(bytes, 'in.jsonl.gz')
    expect({ code, ids: lines.map(({ id }) => id) }).toEqual({ code: 0, ids })
  })

  const words = (i: number): string => Array.from({ length: 15 }, (_, n) => Math.sin(15 * i + n)).join(' ')
  // 80 kB, which become several parts when they are decompressed.
  const long = gzipSync(Array.from({ length: 200 }, (_, i) => `${good(`${i} ${words(i)}`)}\n`).join(''))
  const half = long.subarray(0, long.length / 2)
  const ofHalf = gunzipSync(half, { finishFlush: constants.Z_SYNC_FLUSH }).toString().split('\n').length - 1
  test.each<[string, Uint8Array, number, string]>([
    [
      'followed by something else',
      Buffer.concat([long, Buffer.from('no gzip')]),
      200,
      'the file contains bytes that are not gzip data',
    ],
    ['cut off', half, ofHalf, 'the gzip data is truncated'],
    ['not gzip', Buffer.from(good('a')), 0, 'the file contains bytes that are not gzip data'],
    ['an empty file', new Uint8Array(), 0, 'the file is empty'],
  ])('%s: what could be decompressed is scanned, then the damage is reported', async (_, bytes, count, sentence) => {
    // The first run prints its results.
    const out = count === 200 ? [] : ['--out', 'unzipped.jsonl', '--overwrite']
    const { code, stdout, stderr } = await run(bytes, 'in.jsonl.gz', ...out)
    expect({ code, stderr }).toEqual({ code: 2, stderr: `in.jsonl.gz cannot be unzipped: ${sentence}\n` })
    const written = out.length === 0 ? stdout : readFileSync(join(cwd, 'unzipped.jsonl'), 'utf8')
    if (out.length > 0) expect(stdout).toBe('')
    const ids = parseLines(written).map(({ id }) => Number(id?.split(' ')[0]))
    expect(ids).toEqual(Array.from({ length: count }, (_, i) => i))
  })
})

test('a line that is longer than any page is an error, and the next one is scanned', async () => {
  const long = Buffer.concat([
    gzipSync('{"id":"long","html":"'),
    ...Array(70).fill(gzipSync(Buffer.alloc(1024 * 1024, 120))),
    gzipSync('"}\n'),
  ])
  const { code, lines } = await batch(Buffer.concat([long, gzipSync(good('next'))]), 'long.jsonl.gz')
  expect(code).toBe(1)
  expect(lines).toEqual([
    { line: 1, error: 'the line is longer than 67108864 bytes', code: 'invalid_request' },
    expect.objectContaining({ id: 'next' }),
  ])
})

describe('output', () => {
  test('--out overwrites the file with --overwrite only', async () => {
    writeFileSync(join(cwd, 'out.jsonl'), 'x'.repeat(10_000))
    expect(await batch(good('a'), 'in.jsonl', '--out', 'out.jsonl')).toMatchObject({
      code: 2,
      stderr: '--out: "out.jsonl" already exists: replace it with --overwrite\nRun with --help for usage.\n',
    })
    expect(readFileSync(join(cwd, 'out.jsonl'), 'utf8')).toBe('x'.repeat(10_000))
    const { code, stdout } = await batch(
      `${good('a')}\n{}\n`,
      'in.jsonl',
      '--out',
      'out.jsonl',
      '--overwrite',
      '--include',
      'versions',
    )
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    const [first, second] = readFileSync(join(cwd, 'out.jsonl'), 'utf8')
      .trimEnd()
      .split('\n')
      .map((line): OutputLine => JSON.parse(line))
    expect(first.result?.versions).toEqual({ WordPress: '6.6' })
    expect(second).toEqual({ line: 2, error: 'id must be a string', code: 'invalid_request' })
  })

  test.each(['https://a.example/\nb.example\n', '# ours\na.example/x\n'])(
    'a list of URLs is rejected, and no output is made: %j',
    async (list) => {
      writeFileSync(join(cwd, 'list.txt'), list)
      const outcome = await project.run('scan', ['--batch', 'list.txt', '--out', 'of-list.jsonl'], { cwd })
      const stderr = '--batch: list.txt looks like a list of URLs: use --urls\nRun with --help for usage.\n'
      expect(outcome).toEqual({ code: 2, stdout: '', stderr })
      expect(existsSync(join(cwd, 'of-list.jsonl'))).toBe(false)
    },
  )

  test('a line that is a URL says so', async () => {
    const { lines } = await batch(`${good('a')}\nhttps://a.example/\n`, 'mixed.jsonl')
    const error = 'the line is a URL, not a page in JSON: to scan a list of URLs, use --urls'
    expect(lines[1]).toEqual({ line: 2, error, code: 'invalid_request' })
  })

  test('--out is not created when the input is missing', async () => {
    expect(await project.run('scan', ['--batch', 'none.jsonl', '--out', 'made.jsonl'], { cwd })).toMatchObject({
      code: 2,
      stdout: '',
    })
    expect(existsSync(join(cwd, 'made.jsonl'))).toBe(false)
  })
})
