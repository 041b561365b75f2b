import { spawn } from 'node:child_process'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Outcome, smallProject } from '../support/built-project.ts'
import { NODE_ARGS } from '../support/node-args.ts'
import { writeFolder } from '../support/rule-folder.ts'

const FILES = ['/1.js', '/2.js', '/3.js', '/4.js', '/a.css', '/b.css']
const PAGE = FILES.map((path) =>
  path.endsWith('.js') ? `<script src=${path}></script>` : `<link rel=stylesheet href=${path}>`,
).join('')

/** A site with as many scripts and style sheets as a scan reads, all of which arrive late. */
const server = createServer(({ url = '' }, response) => {
  if (!FILES.includes(url)) response.setHeader('content-type', 'text/html').end(PAGE)
  else setTimeout(() => response.setHeader('content-type', 'text/plain').end('let a'), 200)
})
let address: string
const cwd = writeFolder({ 'empty.txt': '# none\n' })
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  address = `127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => void server.close())

/**
 * Runs a script in Bash. `$SCAN` is the command `scan` of the built project, and `$SITE` an address.
 * @returns the exit code of the script, and its output
 */
function runInShell(script: string, { cwd, SITE }: { readonly cwd: string; readonly SITE: string }): Promise<Outcome> {
  const words = [
    process.execPath,
    ...NODE_ARGS,
    join(smallProject().folder, 'tools', 'start.mjs'),
    'src/cli/run',
    'scan',
  ]
  const env = { PATH: process.env.PATH ?? '', SCAN: words.join(' '), SITE }
  const child = spawn('bash', ['-c', script], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] })
  const texts = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const)
    child[name].setEncoding('utf8').on('data', (text: string) => {
      texts[name] += text
    })
  return new Promise((resolve, reject) => {
    child.on('error', reject).on('close', (code) => resolve({ code, ...texts }))
  })
}

test('a scan that requests many files at once causes no warning of Node', async () => {
  const { code, stderr } = await smallProject().spawn('scan', [`http://${address}/`, '--allow', address])
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
})

describe('a list is read', () => {
  test.each([
    ['from standard input', 'printf "http://%s/" "$SITE" | $SCAN --urls - --allow "$SITE"'],
    ['from /dev/stdin', 'printf "http://%s/" "$SITE" | $SCAN --urls /dev/stdin --allow "$SITE"'],
    ['from a redirected file', 'printf "http://%s/" "$SITE" >list.txt; $SCAN --urls - --allow "$SITE" <list.txt'],
    ['from a command', '$SCAN --urls <(printf "http://%s/" "$SITE") --allow "$SITE"'],
    ['as a table', 'printf "n,site\\na,http://%s/" "$SITE" | $SCAN --urls - --column site --allow "$SITE"'],
  ])('%s', async (_, script) => {
    const { code, stdout, stderr } = await runInShell(script, { cwd, SITE: address })
    expect({ code, stderr }).toEqual({ code: 0, stderr: '1 site, 0 failed\n' })
    expect(JSON.parse(stdout)).toMatchObject({ url: `http://${address}/`, result: { builder: null } })
  })

  test.each([
    ['$SCAN --urls - <empty.txt', 'standard input contains no URL: write one per line'],
    ['printf "" | $SCAN --urls /dev/stdin', 'standard input contains no URL: write one per line'],
    ['$SCAN --urls <(cat empty.txt)', 'contains no URL: write one per line'],
  ])('an empty one is an error: %s', async (script, sentence) => {
    const { code, stdout, stderr } = await runInShell(script, { cwd, SITE: address })
    expect({ code, stdout, found: stderr.includes(sentence) }).toEqual({ code: 2, stdout: '', found: true })
  })
})

test('60 addresses that are not allowed take no pause', async () => {
  const script = 'for i in $(seq 60); do echo "http://10.0.0.1/$i"; done | timeout 30 $SCAN --urls - | wc -l'
  expect((await runInShell(script, { cwd, SITE: address })).stdout.trim()).toBe('60')
})

test('the README: a list is scanned to CSV, and reported', async () => {
  const scan = '$SCAN --urls - --out results.csv --allow "$SITE"'
  const first = await runInShell(`printf "http://%s/" "$SITE" | ${scan}`, { cwd, SITE: address })
  expect(first.code).toBe(0)
  const again = await runInShell(`printf "http://%s/" "$SITE" | ${scan}`, { cwd, SITE: address })
  expect(again.stderr).toContain('--out: "results.csv" already exists')
  const report = await smallProject().spawn('report', [join(cwd, 'results.csv')])
  expect({ code: report.code, head: report.stdout.split('\n')[0], stderr: report.stderr }).toEqual({
    code: 0,
    head: '1 site, 1 with a result, 0 failed',
    stderr: '',
  })
})
