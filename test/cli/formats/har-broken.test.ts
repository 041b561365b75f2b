import { truncateSync, writeFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readHar } from '../../../src/cli/formats/har.ts'
import { SetupError } from '../../../src/errors.ts'
import { buildPage } from '../../../src/index.ts'
import { countRuns } from '../../support/property-runs.ts'
import { entry, har, html, writeHar } from './har-files.ts'

const image = entry({ url: 'https://acme.com/a.png', type: 'image/png' })

describe('an invalid file is reported with what to do', () => {
  const name = 'Use a file that a browser saved as HAR.'
  const record = 'contains no HTML document. Record the page from its first request on, and save it again.'
  const again = 'does not contain the text of its document. Save it again as a HAR with content.'
  test.each<[string, () => string, string]>([
    [
      'no JSON',
      () => writeHar('<html>'),
      `is not valid JSON: Unexpected token '<', "<html>" is not valid JSON. ${name}`,
    ],
    ['nothing', () => writeHar(''), `is not valid JSON: Unexpected end of JSON input. ${name}`],
    ['no object', () => writeHar('null'), `is not a HAR file: it has no list log.entries. ${name}`],
    ['no log', () => writeHar('{"log": 5}'), `is not a HAR file: it has no list log.entries. ${name}`],
    ['no list of entries', () => har({ 0: image }), `is not a HAR file: it has no list log.entries. ${name}`],
    ['no entries', () => har([]), record],
    ['no HTML', () => har([image, entry({ status: 301 })]), record],
    ['no content', () => har([entry({ content: { mimeType: 'text/html', size: 10 } })]), again],
  ])('%s', async (_, write, sentence) => {
    const file = write()
    await expect(readHar(file)).rejects.toThrow(new SetupError(`${file} ${sentence}`))
  })

  test('too large: it is not read', async () => {
    const file = writeHar('')
    truncateSync(file, 256 * 1024 * 1024 + 1)
    const sentence = `${file} is larger than 256 MiB. Record fewer pages in one file.`
    await expect(readHar(file)).rejects.toThrow(new SetupError(sentence))
  })

  test('a missing file fails with the error of the file system', async () => {
    await expect(readHar('none.har')).rejects.toMatchObject({ code: 'ENOENT' })
  })

  test('a byte order mark is ignored', async () => {
    const file = writeHar(`\ufeff${JSON.stringify({ log: { entries: [entry({})] } })}`)
    expect((await readHar(file)).html).toBe(html)
  })
})

test('any HAR content results in a page or a SetupError', { tags: ['property'] }, async () => {
  const any = fc.anything({ maxDepth: 2 })
  const some = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<unknown> => fc.oneof({ weight: 8, arbitrary: value }, any)
  const headers = some(fc.array(some(fc.record({ name: some(fc.string()), value: some(fc.string()) }))))
  const content = some(fc.record({ mimeType: some(fc.constant('text/html')), text: some(fc.string()), encoding: any }))
  const request = some(fc.record({ url: some(fc.webUrl()) }))
  const response = some(fc.record({ status: some(fc.nat(999)), headers, content }))
  const one = some(fc.record({ request, response, startedDateTime: some(fc.constant('2026-11-20')), pageref: any }))
  const file = writeHar('')
  let pages = 0
  await fc.assert(
    fc.asyncProperty(some(fc.array(one, { maxLength: 4 })), any, async (entries, log) => {
      writeFileSync(
        file,
        JSON.stringify({ log: { pages: log, entries } }, (_, value) => (typeof value === 'bigint' ? null : value)),
      )
      const found = await readHar(file).catch((error) => void expect(error).toBeInstanceOf(SetupError))
      if (found && ++pages) buildPage(found)
    }),
    { numRuns: countRuns(200) },
  )
  expect(pages).toBeGreaterThan(50)
})
