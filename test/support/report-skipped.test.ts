import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { onFileEnd } from './on-file-end.ts'
import { formatSkipped, type Need, skipSuite } from './report-skipped.ts'

const REDIS: Need = { what: 'a running Redis', todo: 'run "tools/services.sh start"' }
const MONGODB: Need = { what: 'a running MongoDB', todo: 'run "tools/services.sh start"' }
const CHROMIUM: Need = { what: 'Chromium', todo: 'run "tools/browser.sh install"' }
const PAGES: Need = { what: 'a file of pages', todo: 'it is not part of the project', isForeign: true }

test.each<[string, readonly (readonly [string, Need])[], readonly string[]]>([
  ['nothing', [], []],
  ['one suite', [['nodes', REDIS]], ['SKIPPED 1 suite without a running Redis: run "tools/services.sh start"']],
  [
    'several suites of one command, one of them twice, and another command',
    [
      ['nodes', REDIS],
      ['nodes', MONGODB],
      ['usage', MONGODB],
      ['portal', CHROMIUM],
    ],
    [
      'SKIPPED 2 suites without a running MongoDB, a running Redis: run "tools/services.sh start"',
      'SKIPPED 1 suite without Chromium: run "tools/browser.sh install"',
    ],
  ],
])('%s skipped: one line for each command to run', (_, skipped, lines) => {
  const folder = mkdtempSync(join(tmpdir(), 'siteprint-skipped-'))
  onFileEnd(() => rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, 'notes')
  vi.stubEnv('SITEPRINT_TEST_SKIPPED', file)
  vi.stubEnv('REQUIRE_SERVICES', '')
  for (const [suite, need] of skipped) skipSuite(suite, need)
  vi.unstubAllEnvs()
  expect(formatSkipped(skipped.length === 0 ? '' : readFileSync(file, 'utf8'))).toEqual(lines)
})

test('REQUIRE_SERVICES=1 turns a skipped suite into a failure, unless what it needs is foreign', () => {
  vi.stubEnv('SITEPRINT_TEST_SKIPPED', undefined)
  vi.stubEnv('REQUIRE_SERVICES', '1')
  expect(() => skipSuite('nodes', REDIS)).toThrow('nodes: needs a running Redis; run "tools/services.sh start"')
  expect(() => skipSuite('real pages', PAGES)).not.toThrow()
  vi.unstubAllEnvs()
})
