import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, test } from 'vitest'
import { NODE_ARGS } from '../support/node-args.ts'
import { writeFolder } from '../support/rule-folder.ts'
import { trapRules, trapWorker } from './trap-rules.ts'

let withTraps: string
beforeAll(async () => {
  withTraps = await trapWorker()
})

/** Runs a script in a separate process, with `openPool` of the build and the trap rules. @returns what it prints as JSON */
async function runScript(lines: string): Promise<unknown> {
  const pool = pathToFileURL(join(withTraps, '..', 'worker-pool.js')).href
  const options = JSON.stringify({ ...trapRules(), threads: 2 })
  const file = join(
    writeFolder({ 'script.mjs': `import { openPool } from '${pool}'\nconst options = ${options}\n${lines}` }),
    'script.mjs',
  )
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [...NODE_ARGS, file], { timeout: 30_000 })
  expect(stderr).toBe('')
  return JSON.parse(stdout)
}

/** Closes the pool and prints the outcome of its pages, and the open resources except the pipes to this test. */
const CLOSE = `
import { setImmediate as turn } from 'node:timers/promises'
const ended = pages.map((html) => pool.match({ html }).catch(({ reason }) => reason))
const held = () => process.getActiveResourcesInfo().filter((kind) => kind !== 'PipeWrap')
const before = held().length
await Promise.all([pool.close(), pool.close()])
for (const until = Date.now() + 5000; held().length > 0 && Date.now() < until; ) await turn() // Ports close after their thread has exited.
const left = held()
const late = await pool.match({ html: '' }).catch(({ reason }) => reason)
console.log(JSON.stringify({ ended: await Promise.all(ended), left, late, seen: pages.length === 0 || before > 0, now: [pool.running, pool.waiting] }))`

describe('in a separate process', () => {
  test.each<[when: string, lines: string, pages: readonly string[]]>([
    ['it is idle', 'await pool.ready', []],
    ['pages run and wait', 'await pool.ready', ['loop for ever', 'loop for ever', 'harmless', 'harmless']],
    ['the rules are loading', 'pool.ready.catch(() => {})', ['harmless']],
    [
      'a page was killed',
      "await pool.match({ html: 'loop for ever' }).catch(() => {})\nawait pool.match({ html: 'harmless' })",
      [],
    ],
  ])('closing when %s leaves no thread and no timer', async (_, lines, pages) => {
    const output = await runScript(
      `const pages = ${JSON.stringify(pages)}\nconst pool = openPool({ ...options, matchMs: 500, maxWaitMs: 60000 })\n${lines}${CLOSE}`,
    )
    const ended = pages.map(() => 'internal')
    expect(output).toEqual({ ended, left: [], late: 'internal', seen: true, now: [0, 0] })
  })

  test('the process exits while the pool is idle', async () => {
    const lines = "const pool = openPool(options)\nconst { verdict } = await pool.match({ url: 'https://acme.com/' })"
    expect(await runScript(`${lines}\nconsole.log(JSON.stringify(verdict.technologies))`)).toEqual(['Acme'])
  })
})
