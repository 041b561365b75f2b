import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readWarc } from '../../../src/cli/formats/warc.ts'
import { SetupError } from '../../../src/errors.ts'
import { buildPage } from '../../../src/index.ts'
import { countRuns } from '../../support/property-runs.ts'
import {
  formatPage,
  HTML,
  PACKINGS,
  packedEach,
  packedWhole,
  pageRecord,
  plain,
  readPages,
  record,
  response,
  titled,
  writeWarc,
} from './warc-files.ts'

const url = (name: string): string => `https://acme.com/${name}`
/** Reads a file. Returns the id and the text or error of each record. */
const readAll = async (bytes: Uint8Array): Promise<string[]> =>
  (await readPages(bytes)).map((page) => `${page.id} ${formatPage(page)}`)
const good = (name: string): string => `${url(name)} ${titled(name)}`
const [a, b, c] = ['a', 'b', 'c'].map(pageRecord) as [Buffer, Buffer, Buffer]
const noise = (length: number): string => Array.from({ length }, (_, i) => Math.sin(i).toString(36).slice(3)).join(' ')
const long = response(url('long'), HTML, titled(noise(30_000)))
/** Inverts one byte. */
const damage = (bytes: Uint8Array, at: number): Buffer => {
  const copy = Buffer.from(bytes)
  copy[at] = (copy[at] as number) ^ 255
  return copy
}

const WRONG_LENGTH = '!the length of the record is wrong'
const NO_LENGTH = '!the record has no valid length'

describe('a damaged record does not affect the others', () => {
  const target = { 'WARC-Target-URI': url('bad'), 'Content-Type': 'application/http' }
  test.each<[string, Buffer, string]>([
    ['no length', record('response', { ...target, 'Content-Length': '' }, 'x'), `${url('bad')} ${NO_LENGTH}`],
    [
      'a length in words',
      record('response', { ...target, 'Content-Length': 'ten' }, 'x'),
      `${url('bad')} ${NO_LENGTH}`,
    ],
    ['a negative length', record('response', { ...target, 'Content-Length': '-5' }), `${url('bad')} ${NO_LENGTH}`],
    [
      'a length too small',
      response(url('bad'), HTML, titled('x'), { 'Content-Length': '60' }),
      `${url('bad')} ${WRONG_LENGTH}`,
    ],
    ['no HTTP', record('response', target, titled('x')), `${url('bad')} !the record contains no HTTP response`],
    [
      'no address',
      record('response', { 'Content-Type': 'application/http' }, `HTTP/1.1 200 OK\r\n\r\n${titled('x')}`),
      '<urn:uuid:1> !the record has no http or https URL',
    ],
    [
      'a foreign address',
      response('ftp://acme.com/', HTML, ''),
      'ftp://acme.com/ !the record has no http or https URL',
    ],
    ['an invalid address', response('acme', HTML, ''), 'acme !the record has no http or https URL'],
    ['bytes between records', Buffer.from('junk\r\n'), `${url('a')} ${WRONG_LENGTH}`],
  ])('%s', async (name, bad, error) => {
    const before = name === 'bytes between records' ? [] : [good('a')]
    for (const [, pack] of PACKINGS.filter((one) => name !== 'bytes between records' || one[1] === plain))
      expect(await readAll(pack([a, bad, c]))).toEqual([...before, error, good('c')])
  })

  test('headers without an end', async () => {
    const endless = Buffer.from(`WARC/1.1\r\n${'a: b\r\n'.repeat(20_000)}`)
    expect(await readAll(plain([a, endless, Buffer.from('\r\n\r\n'), c]))).toEqual([
      good('a'),
      'record 2 !the record ends before the end of its headers',
      good('c'),
    ])
  })

  test('a gzip member per record, wherever it is damaged', async () => {
    const packed = gzipSync(long)
    for (const at of [0, 1, 2, 10, 11, 20_000, packed.length - 40_000, packed.length - 8, packed.length - 5]) {
      const lines = await readAll(Buffer.concat([gzipSync(a), damage(packed, at), gzipSync(c)]))
      expect([lines.length, lines[0], lines[2]], `byte ${at}`).toEqual([3, good('a'), good('c')])
      expect(lines[1], `byte ${at}`).toMatch(
        /^(record 2|https:\/\/acme\.com\/long) !the (gzip data is damaged|file contains)/,
      )
    }
  })

  test('a gzip member with a name, a comment and extra fields is valid', async () => {
    const packed = gzipSync(b)
    const header = Buffer.concat([packed.subarray(0, 3), Buffer.from([4 | 8 | 16 | 2]), packed.subarray(4, 10)])
    const more = Buffer.from('\x03\x00abcname\0comment\0\x12\x34', 'latin1')
    const bytes = Buffer.concat([gzipSync(a), header, more, packed.subarray(10), Buffer.alloc(100), gzipSync(c)])
    expect(await readAll(bytes)).toEqual(['a', 'b', 'c'].map(good))
  })

  test('records may span gzip members', async () => {
    const all = Buffer.concat([a, b, c])
    const members = Array.from({ length: Math.ceil(all.length / 50) }, (_, i) =>
      gzipSync(all.subarray(i * 50, i * 50 + 50)),
    )
    expect(await readAll(Buffer.concat(members))).toEqual(['a', 'b', 'c'].map(good))
  })
})

describe('a truncated file yields what precedes the end', () => {
  const middle = '!the file ends in the middle of the record'
  const packed = '!the gzip data is truncated'
  test.each<[string, Buffer, number, string[]]>([
    ['in a body', plain([a, long]), 100_000, [good('a'), `${url('long')} ${middle}`]],
    [
      'in the headers',
      plain([a, b]),
      a.length + 30,
      [good('a'), 'record 2 !the record ends before the end of its headers'],
    ],
    ['after a body', plain([a, b]), a.length + b.length - 4, ['a', 'b'].map(good)],
    ['in a member', packedEach([a, long]), 50_000, [good('a'), `${url('long')} ${packed}`]],
    ['in a checksum', packedEach([a, b]), packedEach([a, b]).length - 2, [good('a'), `record 2 ${packed}`]],
    ['in a gzip header', packedEach([a, b]), gzipSync(a).length + 5, [good('a'), `record 2 ${packed}`]],
    ['in the only member', packedWhole([a, b, long]), 100_000, [good('a'), good('b'), `${url('long')} ${packed}`]],
  ])('%s', async (_, bytes, length, lines) => {
    expect(await readAll(bytes.subarray(0, length))).toEqual(lines)
  })

  test('so does a damaged gzip member', async () => {
    const lines = await readAll(damage(packedWhole([a, b, long, c]), 60_000))
    expect(lines).toEqual([good('a'), good('b'), `${url('long')} !the gzip data is damaged`])
  })
})

describe('not a WARC file', () => {
  test.each<[string, string | Uint8Array]>([
    ['nothing', ''],
    ['a page', titled('x')],
    ['a packed page', gzipSync(titled('x'))],
    ['noise', noise(100_000)],
  ])('%s is reported', async (_, content) => {
    const file = writeWarc(Buffer.from(content as string))
    const sentence = `${file} contains no WARC record. Use a .warc or .warc.gz file.`
    await expect(readWarc(file).next()).rejects.toThrow(new SetupError(sentence))
  })

  test('a missing file fails with the error of the file system', async () => {
    await expect(readWarc('none.warc').next()).rejects.toMatchObject({ code: 'ENOENT' })
  })
})

test('after any damage, reading ends, and other pages are unchanged', { tags: ['property'] }, async () => {
  const records = [a, record('warcinfo', {}, 'x: y\r\n'), b, response(url('d'), HTML, noise(2000)), c]
  const [one, other] = [fc.nat({ max: 100_000 }), fc.nat({ max: 100_000 })]
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...PACKINGS), one, other, fc.boolean(), async ([name, pack], at, end, isCut) => {
      const whole = pack(records)
      const bytes = damage(isCut ? whole.subarray(0, 1 + (end % whole.length)) : whole, at % whole.length)
      const pages = await readPages(bytes).catch((error) => {
        if (error instanceof SetupError) return []
        throw error
      })
      for (const page of pages) if (!('error' in page)) buildPage(page.page)
      // One member per record: the damaged record may be missing or wrong, and the next one too if the damage joins the two.
      if (name !== PACKINGS[1]?.[0] || isCut) return
      const sound = pages.filter((page) => records.some((one) => one.includes(formatPage(page), 'utf8')))
      expect(sound.length).toBeGreaterThanOrEqual(2)
    }),
    { numRuns: countRuns(120) },
  )
})
