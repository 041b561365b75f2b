import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'csv-parse/sync'
import { describe, expect, test } from 'vitest'
import { projectFolder } from '../../src/rules/built.ts'
import { smallProject } from '../support/built-project.ts'
import { findUnshare, SET_UP } from '../support/network-namespace.ts'
import { NODE_ARGS } from '../support/node-args.ts'
import { skipSuite } from '../support/report-skipped.ts'
import { writeFolder } from '../support/rule-folder.ts'

const SITES = 200
const way = findUnshare()
if (way === null)
  skipSuite('a long list of sites', {
    what: 'network namespaces',
    todo: 'run as root, or allow unprivileged user namespaces',
    isForeign: true,
  })

const cwd = writeFolder({})

/**
 * Runs a scan in a network of invented sites. If `killAfter` is given, the scan is killed after this number of page
 * requests.
 */
function scan(args: readonly string[], killAfter?: number): Promise<{ code: number | null; stderr: string }> {
  const network = join(projectFolder(), 'test', 'support', 'site-network.mjs')
  const command = [
    process.execPath,
    ...NODE_ARGS,
    join(smallProject().folder, 'dist', 'src', 'cli', 'run.js'),
    'scan',
    ...args,
  ]
  const inside = [process.execPath, network, 'list.txt', String(SITES), String(killAfter ?? 0), ...command]
  const child = spawn('unshare', [...(way ?? []), 'sh', '-c', `${SET_UP} && exec "$@"`, 'sh', ...inside], {
    cwd,
    env: { PATH: process.env.PATH },
    stdio: ['ignore', 'inherit', 'pipe'],
  })
  let stderr = ''
  child.stderr.on('data', (text) => (stderr += text))
  return new Promise((resolve, reject) => {
    child.once('error', reject).once('close', (code) => resolve({ code, stderr }))
  })
}

const read = (file: string): Record<string, string>[] =>
  parse(readFileSync(join(cwd, file)), { columns: true, cast: false })
const count = (rows: readonly Record<string, string>[], column: string): Record<string, number> => {
  const counts: Record<string, number> = {}
  for (const row of rows) counts[row[column]] = (counts[row[column]] ?? 0) + 1
  return counts
}
const files = [
  '--urls',
  'list.txt',
  '--out',
  'out.csv',
  '--technologies-out',
  'technologies.csv',
  '--concurrency',
  '64',
]

describe.skipIf(way === null)('a list of bare domains, with dead ones and duplicates', () => {
  test('becomes two CSV files, even after a kill in the middle: every site once', async () => {
    expect((await scan(files, SITES / 4)).code).toBe(137)
    const { code, stderr } = await scan([...files, '--resume'])
    const known = Number(/(\d+) already done/.exec(stderr)?.[1])
    expect(known).toBeGreaterThan(0)
    expect(known).toBeLessThan(SITES)
    expect({ code, stderr: stderr.split('\n')[0].replace(/^\d+ sites, \d+ failed/, '') }).toEqual({
      code: 1,
      stderr: `, ${known} already done, ${SITES / 10} duplicates skipped`,
    })
    const rows = read('out.csv')
    expect(new Set(rows.map(({ url }) => url)).size).toBe(rows.length)
    expect(count(rows, 'status')).toEqual({ '200': 0.7 * SITES, '404': 0.1 * SITES, '': 0.2 * SITES })
    expect(count(rows, 'code')).toEqual({ '': 0.8 * SITES, scan_failed: 0.2 * SITES })
    const found = rows.filter(({ builder }) => builder === 'WordPress').map(({ url }) => url)
    expect(found.length).toBeGreaterThan(SITES / 5)
    expect(found.map((url) => Number(/-(\d+)/.exec(url)?.[1]) % 3)).toEqual(found.map(() => 0))
    expect(
      read('technologies.csv')
        .map(({ url, slug }) => `${url} ${slug}`)
        .sort(),
    ).toEqual(found.map((url) => `${url} wordpress`).sort())
  })
})
