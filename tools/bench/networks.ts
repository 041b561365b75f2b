import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { openOwnNetworks } from '../../src/networks/open-networks.ts'
import { projectFolder } from '../../src/rules/built.ts'
import { median } from '../statistics/quantile.ts'

const ADDRESSES = 10_000
const ROUNDS_WARM = 3
/** Prints how long the first process of a command takes to open the table, in milliseconds. */
const OPEN_ONCE = (module: string): string => `import { openOwnNetworks } from '${module}'
const started = performance.now()
openOwnNetworks()
console.log(performance.now() - started)`

/** Measures the time to open the own table in a new process, and the time of a lookup, for IPv4 and IPv6, with its parsing. */
export function measureNetworks(rounds: number): object {
  const module = pathToFileURL(join(projectFolder(), 'dist', 'src', 'networks', 'open-networks.js')).href
  const open = (): number =>
    Number(execFileSync(process.execPath, ['--input-type=module', '--eval', OPEN_ONCE(module)], { encoding: 'utf8' }))
  open() // Fills the cache of the file system.
  return {
    openMs: round(median(Array.from({ length: rounds }, open))),
    lookupMicroseconds: { four: measureLookups(rounds, formatFour), six: measureLookups(rounds, formatSix) },
  }
}

function measureLookups(rounds: number, format: (number: number) => string): number {
  const table = openOwnNetworks()
  const addresses = Array.from({ length: ADDRESSES }, (_, i) => format(Math.imul(i, 0x9e3779b1) >>> 0))
  const times: number[] = []
  for (let round = -ROUNDS_WARM; round < rounds; round++) {
    const started = performance.now()
    for (const address of addresses) table.find(address)
    if (round >= 0) times.push(performance.now() - started)
  }
  return round((median(times) * 1000) / ADDRESSES)
}

function formatFour(number: number): string {
  return [number >>> 24, (number >>> 16) & 255, (number >>> 8) & 255, number & 255].join('.')
}

/** Addresses of 2a00::/12, where most of the ranges of IPv6 are. */
function formatSix(number: number): string {
  const [high, low] = [number >>> 16, number & 0xffff].map((group) => group.toString(16))
  return `2a0${high.slice(-1)}:${high}:${low}::${low}`
}

function round(number: number): number {
  return Math.round(number * 100) / 100
}
