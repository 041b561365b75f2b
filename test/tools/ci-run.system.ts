import { type SpawnSyncReturns, spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { projectFolder } from '../../src/rules/built.ts'
import { NODE_ARGS } from '../support/node-args.ts'

const root = projectFolder()
let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'ci-run-'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

function write(file: string, text: string, mode = 0o644): void {
  mkdirSync(dirname(join(folder, file)), { recursive: true })
  writeFileSync(join(folder, file), text, { mode })
}

/** Runs a test file with this project's Vitest and configuration, with colours. */
function runVitest(text: string): { status: number | null; line: string; counted: number | null } {
  const report = join(folder, 'report.json')
  rmSync(report, { force: true })
  rmSync(join(folder, 'project'), { recursive: true, force: true })
  write('project/test/some.test.ts', text)
  const args = ['run', '--globals', '--root', join(folder, 'project'), '--config', join(root, 'vitest.config.ts')]
  const env = { ...process.env, TEST_REPORT: report, FORCE_COLOR: '1' }
  const { status } = spawnSync(
    process.execPath,
    [...NODE_ARGS, join(root, 'node_modules/vitest/vitest.mjs'), ...args],
    { env },
  )
  const count = spawnSync(process.execPath, [join(root, 'tools/test-count.mjs'), report], { encoding: 'utf8', env })
  return { status, line: count.stdout, counted: count.status }
}

test.each<[string, string, status: number, line: string]>([
  [
    'one of each',
    "test('a', () => {}); test('b', () => expect(1).toBe(2)); test.skip('c', () => {}); test.todo('d'); describe.skip('e', () => test('f', () => {}))",
    1,
    'tests: 1 passed, 1 failed, 3 skipped\n',
  ],
  [
    'tests that pass, one of which prints such a line',
    "test('a', () => console.log('tests: 9 passed, 9 failed, 9 skipped')); test('b', () => {})",
    0,
    'tests: 2 passed, 0 failed, 0 skipped\n',
  ],
  ['a file that cannot be loaded', "throw new Error('no')", 1, 'tests: 0 passed, 0 failed, 0 skipped\n'],
])('the count of %s', (_, text, status, line) => {
  expect(runVitest(text)).toEqual({ status, line, counted: 0 })
})

test.each([
  ['no file', undefined],
  ['an empty file', ''],
  ['a truncated file', '{"numTotalTests": 4, "numPassedTe'],
  ['another file', '{}'],
])('%s is not a report: exit 1', (_, text) => {
  const file = join(folder, 'odd.json')
  rmSync(file, { force: true })
  if (text !== undefined) writeFileSync(file, text)
  const count = spawnSync(process.execPath, [join(root, 'tools/test-count.mjs'), file], { encoding: 'utf8' })
  expect([count.status, count.stdout]).toEqual([1, 'tests: 0 passed, 0 failed, 0 skipped\n'])
})

describe('.ci/run', () => {
  const REPORT = JSON.stringify({ numTotalTests: 7, numPassedTests: 4, numFailedTests: 1 })
  /** Runs the script in a new folder, with programs that only report that they ran. */
  function runScript({ npm, status = 'exit 1' }: { npm: string; status?: string }): SpawnSyncReturns<string> {
    cpSync(join(root, '.ci/run'), join(folder, '.ci/run'))
    cpSync(join(root, 'tools/test-count.mjs'), join(folder, 'tools/test-count.mjs'))
    write('tools/services.sh', `#!/bin/sh\ncase $1 in status) ${status};; *) echo "services: $1" >&2;; esac\n`, 0o755)
    write('tools/browser.sh', '#!/bin/sh\n', 0o755)
    for (const tool of ['generators.sh', 'schemathesis.sh', 'recipes.sh', 'run'])
      write(`tools/${tool}`, '#!/bin/sh\n', 0o755)
    write('bin/npm', `#!/bin/sh\ncase "$*" in ${npm} esac\n`, 0o755)
    for (const program of ['ip', 'curl', 'python3']) write(`bin/${program}`, '#!/bin/sh\n', 0o755)
    const temporary = join(folder, 'tmp')
    mkdirSync(temporary, { recursive: true })
    const env = { ...process.env, PATH: `${join(folder, 'bin')}:${process.env.PATH}`, TMPDIR: temporary }
    return spawnSync('sh', ['-c', '.ci/run 2>&1'], { cwd: folder, encoding: 'utf8', env })
  }

  const writes = `printf '%s' '${REPORT}' >"$TEST_REPORT"`
  const LINE = 'tests: 4 passed, 1 failed, 2 skipped'
  const DOUBLE = 'tests: 8 passed, 2 failed, 4 skipped'
  test.each<[string, Parameters<typeof runScript>[0], number, string]>([
    ['checks that pass', { npm: `test) ${writes};;` }, 0, LINE],
    ['checks that pass, services that ran before', { npm: `test) ${writes};;`, status: 'exit 0' }, 0, LINE],
    ['checks that pass, clients too', { npm: `*test|*code) ${writes};;` }, 0, DOUBLE],
    ['a system suite that fails', { npm: `*test) ${writes};; *parallel) ${writes}; exit 7;;` }, 7, DOUBLE],
    ['timed tests that fail', { npm: `*test) ${writes};; *timed) ${writes}; exit 5;;` }, 5, DOUBLE],
    ['clients that fail', { npm: `*test) ${writes};; *code) ${writes}; exit 6;;` }, 6, DOUBLE],
    ['tests that fail', { npm: `test) ${writes}; exit 3;;` }, 3, LINE],
    ['a check that fails after the tests', { npm: `test) ${writes};; *code) exit 2;;` }, 2, LINE],
    ['an `npm ci` that fails', { npm: 'ci) exit 4;;' }, 4, 'tests: 0 passed, 0 failed, 0 skipped'],
    ['tests that leave no report', { npm: 'test) ;;' }, 1, 'tests: 0 passed, 0 failed, 0 skipped'],
    ['a run that is stopped', { npm: `test) ${writes}; kill -TERM $PPID; sleep 1;;` }, 143, LINE],
  ])('%s: the count is the last line', (_, programs, status, line) => {
    const run = runScript(programs)
    expect([run.status, run.stdout.trimEnd().split('\n').at(-1)]).toEqual([status, line])
    expect(run.stdout.endsWith(`${line}\n`)).toBe(true)
    expect(run.stdout.includes('services: stop')).toBe(programs.status === undefined)
    expect(readdirSync(join(folder, 'tmp'))).toEqual([])
  })
})
