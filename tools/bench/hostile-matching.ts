import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { MatchPool } from '../../src/detector/worker-pool.ts'
import { ScanError } from '../../src/errors.ts'

const MB = 2 ** 20
const RESOLUTION_MS = 1
const many = (count: number, make: (i: number) => string): string =>
  Array.from({ length: count }, (_, i) => make(i)).join('')

/** Documents that are slow to parse, for different reasons. */
const HOSTILE: readonly string[] = [
  '<b>'.repeat(100_000),
  `<p ${many(300_000, (i) => `a${i}=1 `)}>`,
  `<!--${'x'.repeat(5 * MB)}-->`,
  'lorem ipsum '.repeat(MB / 3),
  '<'.repeat(4 * MB),
  '.'.repeat(4 * MB),
  many(100_000, (i) => `<a href=/p/${i}>`),
  many(100_000, (i) => `<img src=//h${i}.example.com/>`),
  many(10_000, (i) => `<meta name=generator content="Thing ${i}">`),
  `<style>${`url("' url('`.repeat(MB / 10)}`,
  `<script type="application/ld+json">[${many(100_000, () => '{"@type":"Product","offers":{"price":1}},')}1]</script>`,
]

/**
 * Measures the longest delay of the main thread's event loop while all workers match hostile pages.
 * @returns milliseconds; a killed page counts like a matched one
 */
export async function measureLoopDelay(pool: MatchPool): Promise<{ readonly worstMs: number }> {
  await pool.ready
  // Bytes, as a fetch returns them. They are transferred to the worker.
  const pages = HOSTILE.map((html) => ({ url: 'https://hostile.example/', html: new TextEncoder().encode(html) }))
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
  delay.enable()
  await Promise.all(pages.map((page) => pool.match(page).catch(allowKill)))
  delay.disable()
  return { worstMs: Math.max(0, delay.max / 1e6 - RESOLUTION_MS) }
}

function allowKill(error: unknown): void {
  if (!(error instanceof ScanError) || error.reason !== 'worker_killed') throw error
}
