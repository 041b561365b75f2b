import { spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { type BuiltProject, type Outcome, smallProject } from '../support/built-project.ts'
import { NODE_ARGS } from '../support/node-args.ts'
import { makeFolder, type Settings, startService } from './start-service.ts'

let project: BuiltProject
beforeAll(() => {
  project = smallProject()
})

const PEPPER = 'thirty-two characters, or more of them'

/** Starts a server that must fail. Its standard error is without the lines of the log, which has warnings of the settings. */
async function start(settings: Settings): Promise<Outcome & { seconds: number }> {
  const began = performance.now()
  const outcome = await project.spawnServer({ env: { DATA_DIR: makeFolder(), PORT: '0', ...settings } })
  const stderr = outcome.stderr.replace(/^\{.*\n/gm, '')
  return { ...outcome, stderr, seconds: (performance.now() - began) / 1000 }
}

/** The time that this machine needs to start a process, which is not part of a wait. */
let processSeconds = 0

test('all invalid settings are reported at once, without their values', async () => {
  const bad = { PORT: 'secret1', REDIS_URL: 'secret2', MONGODB_URL: 'secret3', API_REVISION: 'secret4' }
  const { code, stdout, stderr, seconds } = await start({
    ...bad,
    SCAN_ALLOW: 'secret5',
    PLANS_FILE: join(makeFolder(), 'none'),
  })
  processSeconds = seconds
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
  const names = stderr
    .trim()
    .split('\n')
    .map((line) => line.split(':')[0])
  const expected = ['PORT', 'REDIS_URL', 'MONGODB_URL', 'KEY_PEPPER', 'PLANS_FILE', 'API_REVISION', 'SCAN_ALLOW']
  expect(names).toEqual(expected)
  expect(stderr).not.toContain('secret')
})

test('an invalid rule is reported with file, line and column', async () => {
  const folder = makeFolder()
  mkdirSync(join(folder, 'builders'))
  writeFileSync(join(folder, 'builders', 'wrong.yaml'), 'name: Wrong\ncategory: nothing\n')
  const { code, stdout, stderr } = await start({ RULES_DIRS: folder })
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
  expect(stderr).toMatch(/wrong\.yaml:\d+:\d+/)
  expect(stderr).not.toMatch(/^\s+at /m)
})

test('MongoDB is unavailable: the start fails within seconds and says why, without the password', async () => {
  const MONGODB_URL = 'mongodb://ann:hunter2@127.0.0.1:1/siteprint'
  const { code, stdout, stderr, seconds } = await start({ MONGODB_URL, KEY_PEPPER: PEPPER })
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
  expect(stderr).toMatch(/^MongoDB at 127\.0\.0\.1:1 does not answer: check .+\n$/)
  expect(stderr).not.toContain('hunter2')
  expect(seconds - processSeconds).toBeLessThan(8)
})

test('an unavailable Redis is logged, and requests are still served', async () => {
  const settings = { DATA_DIR: makeFolder(), REDIS_URL: 'redis://:hunter2@127.0.0.1:1' }
  const { url, key, printed, child, ended } = await startService(project, settings)
  const answer = await fetch(`${url}/api/v1/me`, { headers: { authorization: `Bearer ${key}` } })
  expect({ status: answer.status, left: answer.headers.get('x-ratelimit-remaining') }).toEqual({
    status: 200,
    left: '9',
  })
  expect((await fetch(`${url}/health/ready`)).status).toBe(200)
  await expect.poll(() => printed.stderr, { timeout: 10_000 }).toMatch(/"level":"warn".*Redis/)
  expect(printed.stderr).not.toContain('hunter2')
  child.kill('SIGTERM')
  expect(await ended).toBe(0)
})

test.each([
  ['HOST', { HOST: '192.0.2.1' }, 'this machine does not have that address'],
  ['HOST', { HOST: 'nowhere.invalid' }, 'this name does not resolve'],
  ['METRICS_HOST', { METRICS_HOST: '192.0.2.1', METRICS_PORT: '0' }, 'this machine does not have that address'],
])('an invalid %s is reported: %o', async (name, settings, sentence) => {
  const { code, stdout, stderr } = await start(settings)
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
  expect(stderr).toMatch(new RegExp(`^${name}: cannot listen on .*: ${sentence}.*\\n`))
})

const inNamespace = (command: string, ...args: string[]): ReturnType<typeof spawnSync> =>
  spawnSync('unshare', ['-rm', 'sh', '-c', command, 'sh', ...args], { cwd: project.folder, encoding: 'utf8' })
const canMount = spawnSync('unshare', ['-rm', 'sh', '-c', 'mount -t tmpfs none /mnt']).status === 0

describe.skipIf(!canMount)('a DATA_DIR that cannot be written is reported', () => {
  // A folder as a server leaves it, with a database, a pepper and a key.
  const folder = makeFolder()
  beforeAll(async () => {
    const { child, ended } = await startService(project, { DATA_DIR: folder })
    child.kill('SIGTERM')
    expect(await ended).toBe(0)
  })

  const MAIN = 'DATA_DIR="$1" HOST=127.0.0.1 PORT=0 exec "$2" $3 dist/src/main.js'
  test.each([
    [
      'read-only',
      'mount --bind "$1" "$1" && mount -o remount,ro,bind "$1"',
      /siteprint\.db cannot be written \(\w+\): mount/,
    ],
    [
      'full',
      'mount -t tmpfs -o size=64k none "$1"',
      /siteprint\.db cannot be written because the disk is full \(\w+\): free/,
    ],
  ])('%s', async (_, mount, expected) => {
    const { status, stderr } = inNamespace(`${mount} && ${MAIN}`, folder, process.execPath, NODE_ARGS.join(' '))
    const text = String(stderr)
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('{'))
    expect([status, text.length]).toEqual([2, 1])
    expect(text[0]).toMatch(expected)
  })
})
