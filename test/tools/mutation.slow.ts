import { type SpawnSyncReturns, spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { projectFolder } from '../../src/rules/built.ts'
import { copyProject } from '../support/built-project.ts'

/** A small project: its sources, its tests, and this project's tool. */
const FILES: Readonly<Record<string, string>> = {
  '.gitignore': 'dist/\nnode_modules\nrules/\ntemporary/\n',
  'vitest.config.ts': "export default { test: { name: process.env.TEST_PROJECT, include: ['test/**/*.test.ts'] } }\n",
  'src/keys/limit.ts': 'export function isOver(n: number): boolean {\n  return n > 3\n}\n',
  'src/keys/endless.ts':
    'export function count(n: number): number {\n  let i = 0\n  while (i < n) i++\n  return i\n}\n',
  'src/keys/crash.ts': 'export function end(isEnd: boolean): void {\n  if (isEnd) process.abort()\n}\n',
  'test/keys/endless.test.ts':
    "import { expect, test } from 'vitest'\nimport { count } from '../../src/keys/endless.ts'\ntest('counts', () => expect([count(0), count(3)]).toEqual([0, 3]))\n",
  'test/keys/crash.test.ts':
    "import { expect, test, vi } from 'vitest'\nimport { end } from '../../src/keys/crash.ts'\ntest('continues', () => expect(end(false)).toBe(undefined))\n" +
    "test('ends', () => {\n  const abort = vi.spyOn(process, 'abort').mockImplementation(() => undefined)\n  end(true)\n  expect(abort).toHaveBeenCalled()\n})\n",
  'test/keys/limit.test.ts': writeLimitTest('[3, 4].map(isOver)).toEqual([false, true])'),
}

/** What the tool adds to the setup of each test file. */
const RECORDER = join('test', 'support', 'record-reach.ts')

let folder: string
let temporary: string
beforeAll(() => {
  folder = copyProject().folder
  temporary = join(folder, 'temporary')
  mkdirSync(temporary)
  mkdirSync(join(folder, 'test', 'support'), { recursive: true })
  cpSync(join(projectFolder(), RECORDER), join(folder, RECORDER))
  for (const [file, text] of Object.entries(FILES)) write(file, text)
  spawnSync('git', ['init', '-q'], { cwd: folder })
})

function write(file: string, text: string): void {
  mkdirSync(dirname(join(folder, file)), { recursive: true })
  writeFileSync(join(folder, file), text)
}

function writeLimitTest(expectation: string): string {
  return `import { expect, test } from 'vitest'\nimport { isOver } from '../../src/keys/limit.ts'\ntest('limits', () => expect(${expectation})\n`
}

function run(...args: readonly string[]): SpawnSyncReturns<string> {
  const env = { ...process.env, TMPDIR: temporary }
  return spawnSync(process.execPath, ['dist/tools/mutation.js', ...args], { cwd: folder, encoding: 'utf8', env })
}

interface Line {
  readonly mutant: { readonly file: string; readonly original: string; readonly replacement: string }
  readonly caughtBy: string | null
}

describe('tools/run mutation', () => {
  test('prints no mutant if the tests catch all', () => {
    const { status, stdout, stderr } = run('--sample=50', '--coverage', '--timeout=5', '--out', 'out.jsonl', 'src/keys')
    const lines = readFileSync(join(folder, 'out.jsonl'), 'utf8').trim().split('\n')
    const all = lines.map((line): Line => JSON.parse(line))
    const find = (original: string, replacement: string): string | null | undefined =>
      all.find(({ mutant }) => mutant.original === original && mutant.replacement === replacement)?.caughtBy
    expect(find('n > 3', '(n >= 3)')).toBe('test/keys/limit.test.ts: limits')
    expect(find('i++', 'i--')).toBe('time limit')
    expect(find('isEnd', 'true')).toMatch(/^test\/keys\/crash\.test\.ts|Worker|end of the process/)
    expect({ status, stdout, stderr }).toEqual({
      status: 0,
      stdout: expect.stringMatching(/^src\/keys: \d+ of \d+ mutants caught/),
      stderr: '',
    })
  })

  test('prints the mutants that no test catches, and fails below the share that is stored', () => {
    for (const name of ['endless', 'crash']) {
      for (const file of [`src/keys/${name}.ts`, `test/keys/${name}.test.ts`]) rmSync(join(folder, file))
    }
    write('test/keys/limit.test.ts', writeLimitTest('isOver(9)).toBe(true)'))
    const { status, stdout } = run('--sample=50', '--timeout=5', 'src/keys')
    expect(stdout).toContain('src/keys/limit.ts:2 n > 3 → (n >= 3)\n')
    expect(stdout).not.toContain('(n <= 3)')
    expect(status).toBe(1)
  })

  test.each([
    [['--sample', '0'], '--sample must be an integer from 1 to 999999, not "0"'],
    [['src/portal'], 'unknown folder "src/portal": use src/engine,'],
  ])('%j is a mistake', (args, message) => {
    const { status, stderr } = run(...args)
    expect({ status, stderr }).toEqual({ status: 2, stderr: expect.stringContaining(message) })
  })

  test('leaves nothing behind', () => {
    expect(readdirSync(temporary)).toEqual([])
  })
})
