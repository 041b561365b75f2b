import { describe, expect, test } from 'vitest'
import { type Line, readLines } from '../../../src/cli/formats/lines.ts'

async function collectLines(chunks: Iterable<string | Uint8Array>, maxBytes = 100): Promise<Line[]> {
  const bytes = async function* (): AsyncGenerator<Uint8Array> {
    for (const chunk of chunks) yield Buffer.from(chunk)
  }
  const lines: Line[] = []
  for await (const line of readLines(bytes(), maxBytes)) lines.push(line)
  return lines
}

describe('lines of a stream', () => {
  test.each<[string, string[], (string | null)[]]>([
    ['none', [], []],
    ['an empty one', ['\n'], ['']],
    ['the last one without a line end', ['a\nb'], ['a', 'b']],
    ['a byte order mark', ['\ufeffa\n\ufeffb\n'], ['a', '\ufeffb']],
    ['over the limit', ['a\n', 'x'.repeat(60), `${'x'.repeat(41)}\nb\n`], ['a', null, 'b']],
    ['at the limit', [`${'x'.repeat(100)}\nb`], ['x'.repeat(100), 'b']],
    ['over the limit, the first', [`\ufeff${'x'.repeat(98)}\nb`], [null, 'b']],
    ['over the limit, the last', [`a\n${'x'.repeat(101)}`], ['a', null]],
  ])('%s', async (_, chunks, expected) => {
    const lines = await collectLines(chunks)
    expect(lines.map(({ text }) => text)).toEqual(expected)
    expect(lines.map(({ number }) => number)).toEqual(expected.map((_, i) => i + 1))
  })

  test('that are not valid UTF-8 are marked', async () => {
    const lines = await collectLines(['ä\n', Buffer.from('ä\n', 'latin1'), Buffer.from('ä').subarray(0, 1)])
    expect(lines.map(({ isUtf8 }) => isUtf8)).toEqual([true, false, false])
  })

  test('are the same wherever the stream is split, even inside a character', async () => {
    const bytes = Buffer.from('\ufeffä€\r\n\n😀b\nc')
    const whole = await collectLines([bytes])
    expect(whole.map(({ text }) => text)).toEqual(['ä€\r', '', '😀b', 'c'])
    for (let size = 1; size < bytes.length; size++) {
      const count = Math.ceil(bytes.length / size)
      const chunks = Array.from({ length: count }, (_, i) => bytes.subarray(i * size, (i + 1) * size))
      expect(await collectLines(chunks)).toEqual(whole)
    }
  })
})
