import { spawn } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { constants, gunzipSync, gzipSync } from 'node:zlib'
import { beforeAll, describe, expect, test } from 'vitest'
import { type BuiltProject, type Outcome, smallProject } from '../support/built-project.ts'
import { NODE_ARGS } from '../support/node-args.ts'
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
async function batch(
  content: string | Uint8Array,
  name = 'in.jsonl',
  ...args: string[]
): Promise<Outcome & { lines: OutputLine[] }> {
  writeFileSync(join(cwd, name), content)
  const outcome = await project.run('scan', ['--batch', name, ...args], { cwd })
  const texts = outcome.stdout.split('\n')
  expect(texts.pop()).toBe('')
  return { ...outcome, lines: texts.map((line): OutputLine => JSON.parse(line)) }
}

describe('a batch', () => {
  test('has one result per line, in the order of the input', async () => {
    const ids = Array.from({ length: 50 }, (_, i) => `page ${(i * 37) % 50}`)
    const { code, lines, stderr } = await batch(ids.map((id) => `${good(id)}\n`).join(''))
    expect({ code, stderr }).toEqual({ code: 0, stderr: '50 pages, 0 failed\n' })
    expect(lines.map(({ id }) => id)).toEqual(ids)
    expect(Object.keys(lines[0])).toEqual(['id', 'result'])
    expect(Object.keys(lines[0].result ?? {})).toHaveLength(10)
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

  test('continues after an invalid line', async () => {
    const { code, lines, stderr } = await batch(`${good('first')}\n[]\n${good('last')}\n`)
    expect({ code, stderr }).toEqual({ code: 1, stderr: '3 pages, 1 failed\n' })
    expect(lines.map(({ id, line }) => id ?? line)).toEqual(['first', 2, 'last'])
  })

  test('accepts every line end; empty lines count but have no result', async () => {
    const { code, lines } = await batch(`\ufeff${good('a')}\r\n\r\n  \n${good('b')}\n\n{\n${good('c')}`)
    expect(code).toBe(1)
    expect(lines.map(({ id, line }) => id ?? line)).toEqual(['a', 'b', 6, 'c'])
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
    const { code, lines, stderr } = await batch(bytes, 'in.jsonl.gz')
    expect({ code, stderr }).toEqual({ code: 2, stderr: `in.jsonl.gz cannot be unzipped: ${sentence}\n` })
    expect(lines.map(({ id }) => Number(id?.split(' ')[0]))).toEqual(Array.from({ length: count }, (_, i) => i))
    const written = await batch(bytes, 'in.jsonl.gz', '--out', 'unzipped.jsonl')
    expect(written).toMatchObject({ code, stdout: '', stderr })
    expect(readFileSync(join(cwd, 'unzipped.jsonl'), 'utf8').split('\n')).toHaveLength(count + 1)
  })
})

describe('memory', () => {
  // Few tags, because these tests are about the size of pages, and tags take most of the time.
  const body = '<div class="a b"><p>words of a page</p><img src="/a.png"></div>'.repeat(100)
  const page = { id: 'a', html: `<title>x</title>${body}<!--${'x '.repeat(47_000)}-->` }
  const megabyte = gzipSync(`${JSON.stringify(page)}\n`.repeat(10))
  const showPeak = "process.on('exit', () => process.stderr.write('\\n' + process.resourceUsage().maxRSS))"

  async function peakMegabytes(length: number): Promise<number> {
    writeFileSync(join(cwd, 'big.jsonl.gz'), Buffer.concat(Array(length).fill(megabyte)))
    // A small heap forces collection, so that the peak shows what is retained and not what is waiting to be collected.
    const room = ['--max-old-space-size=64', '--max-semi-space-size=8']
    const node = [...room, '--import', `data:text/javascript,${encodeURIComponent(showPeak)}`]
    const { code, stderr } = await project.spawn('scan', ['--batch', 'big.jsonl.gz', '--out', 'big.jsonl'], {
      cwd,
      node,
    })
    expect({ code, first: stderr.split('\n')[0] }).toEqual({ code: 0, first: `${length * 10} pages, 0 failed` })
    return Number(stderr.split('\n').at(-1)) / 1024
  }

  test('does not grow with the input', async () => {
    const [short, long] = [await peakMegabytes(15), await peakMegabytes(120)]
    expect(short).toBeGreaterThan(20)
    expect(long - short).toBeLessThan(60)
  })

  test('does not grow with a line that is longer than any page', async () => {
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
})

describe('output', () => {
  test('--out overwrites the file', async () => {
    writeFileSync(join(cwd, 'out.jsonl'), 'x'.repeat(10_000))
    const { code, stdout } = await batch(
      `${good('a')}\n{}\n`,
      'in.jsonl',
      '--out',
      'out.jsonl',
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

  test('--out is not created when the input is missing', async () => {
    expect(await project.run('scan', ['--batch', 'none.jsonl', '--out', 'made.jsonl'], { cwd })).toMatchObject({
      code: 2,
      stdout: '',
    })
    expect(existsSync(join(cwd, 'made.jsonl'))).toBe(false)
  })

  test('a reader that closes the pipe early is not an error', async () => {
    writeFileSync(join(cwd, 'many.jsonl'), `${good('a')}\n`.repeat(20_000))
    const args = [
      ...NODE_ARGS,
      join(project.folder, 'tools', 'start.mjs'),
      'src/cli/run',
      'scan',
      '--batch',
      'many.jsonl',
    ]
    const child = spawn(process.execPath, args, { cwd, env: {}, stdio: ['ignore', 'pipe', 'pipe'] })
    let stderr = ''
    child.stderr.on('data', (text) => {
      stderr += text
    })
    child.stdout.once('data', () => child.stdout.destroy())
    const code = await new Promise((resolve) => child.on('close', resolve))
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  })
})
