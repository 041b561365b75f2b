import { appendFileSync, statSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { readWarc } from '../../../src/cli/formats/warc.ts'
import { measureMemory } from '../../support/measure-memory.ts'
import { HTML, response, titled, writeWarc } from './warc-files.ts'

/**
 * The least of three measurements: streams that have ended release their buffers in later turns of the event loop.
 * @param enough below this no other measurement is made: each collects the garbage of all test files of this process
 */
async function measureHeldMemory(enough = 0): Promise<number> {
  let least = Number.POSITIVE_INFINITY
  for (let i = 0; i < 3 && least >= enough; i++) {
    await setTimeout(20)
    least = Math.min(least, measureMemory())
  }
  return least
}

/** The pages between the first measurement and the last one are 80 MB long. */
const MAX_GROWTH_BYTES = 20 * 1024 * 1024

test('1,000 pages stream in constant memory, and progress is reported', async () => {
  const file = writeWarc(new Uint8Array())
  const words = Array.from({ length: 8000 }, (_, i) => Math.sin(i).toString(36).slice(2))
    .join(' ')
    .slice(0, 100_000)
  for (let i = 0; i < 1000; i++)
    appendFileSync(
      file,
      gzipSync(response(`https://acme.com/${i}`, HTML, titled(`${i}</title>${words}`)), { level: 0 }),
    )
  const totals: number[] = []
  const used: number[] = []
  let pages = 0
  for await (const { id } of readWarc(file, { onBytes: (total) => totals.push(total) })) {
    expect(id).toBe(`https://acme.com/${pages++}`)
    if (pages % 200 === 0) used.push(await measureHeldMemory(used.length === 0 ? 0 : used[0] + MAX_GROWTH_BYTES))
    expect(totals.at(-1)).toBeLessThan((statSync(file).size * (1000 + pages + 4)) / 2000 + 100_000)
  }
  expect(pages).toBe(1000)
  expect(totals.at(-1)).toBe(statSync(file).size)
  expect(Math.max(...used) - used[0]).toBeLessThan(MAX_GROWTH_BYTES)
})
