import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { MongoClient } from 'mongodb'
import { createClient } from 'redis'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { projectFolder } from '../../src/rules/built.ts'
import { formatSkipped } from '../support/report-skipped.ts'
import { writeFolder } from '../support/rule-folder.ts'
import { mongoUrl, type OwnServer, redisUrl, startMongo, startRedis } from '../support/services.ts'

const script = join(projectFolder(), 'tools', 'services.sh')

afterEach(() => vi.unstubAllEnvs())

describe.skipIf(process.platform === 'win32')('tools/services.sh', () => {
  const run = (args: readonly string[], home: string) =>
    spawnSync('bash', [script, ...args], { encoding: 'utf8', env: { ...process.env, XDG_CACHE_HOME: home } })

  test.each([
    ['--help', ['--help'], 0, /start \| stop/, /^$/],
    ['no argument', [], 2, /^$/, /start \| stop/],
    ['an unknown argument', ['begin'], 2, /^$/, /start \| stop/],
    ['status while nothing runs', ['status'], 1, /^$/, /^$/],
    ['stop while nothing runs', ['stop'], 0, /^$/, /^$/],
  ])('%s', (_, args, status, stdout, stderr) => {
    const home = mkdtempSync(join(tmpdir(), 'siteprint-services-test-'))
    const ran = run(args, home)
    rmSync(home, { recursive: true })
    expect(ran.status).toBe(status)
    expect(ran.stdout).toMatch(stdout)
    expect(ran.stderr).toMatch(stderr)
  })

  test('without HOME it reports what to set', () => {
    const ran = spawnSync('bash', [script, 'status'], { encoding: 'utf8', env: { PATH: process.env.PATH } })
    expect([ran.status, ran.stdout]).toEqual([1, ''])
    expect(ran.stderr).toMatch(/set HOME or XDG_CACHE_HOME/)
  })
})

describe('a suite whose server does not run', () => {
  const home = join(tmpdir(), 'siteprint-no-such-folder')

  test.each([
    ['redisUrl', redisUrl],
    ['mongoUrl', mongoUrl],
  ])('%s is skipped and noted, or fails', async (_, urlOf) => {
    vi.stubEnv('XDG_CACHE_HOME', home)
    vi.stubEnv('REDIS_URL', '')
    vi.stubEnv('MONGODB_URL', '')
    vi.stubEnv('REQUIRE_SERVICES', '')
    const notes = join(writeFolder({}), 'notes')
    vi.stubEnv('SITEPRINT_TEST_SKIPPED', notes)
    expect(await urlOf('the suite')).toBeNull()
    expect(formatSkipped(readFileSync(notes, 'utf8'))).toEqual([
      expect.stringMatching(/^SKIPPED 1 suite without a running (?:Redis|MongoDB): run "tools\/services\.sh start"$/),
    ])
    vi.stubEnv('REQUIRE_SERVICES', '1')
    await expect(async () => await urlOf('the suite')).rejects.toThrow(/the suite: needs/)
  })
})

test.each([
  ['mongodb://127.0.0.1:1', /^mongodb:\/\/127\.0\.0\.1:1\/siteprint_test_\w{16}$/],
  ['mongodb://u:p@a:1,b:2/own?w=1', /^mongodb:\/\/u:p@a:1,b:2\/siteprint_test_\w{16}\?w=1$/],
  ['mongodb://a?w=1', /^mongodb:\/\/a\/siteprint_test_\w{16}\?w=1$/],
])('a new database in %s', (url, expected) => {
  vi.stubEnv('MONGODB_URL', url)
  expect(mongoUrl('url')).toMatch(expected)
  expect(mongoUrl('url')).not.toBe(mongoUrl('url'))
})

const first = await redisUrl('databases of one Redis')
describe.skipIf(first === null)('databases of one Redis', () => {
  test('each call returns another', async () => expect(await redisUrl('databases')).not.toBe(first))

  test('a server with too few is rejected', async () => {
    const small = await startRedis('a Redis of 16 databases')
    if (small === null) return
    vi.stubEnv('REDIS_URL', small.url)
    const sentence = /^Redis has 16 databases: start it with --databases 100 or more$/
    await expect(redisUrl('databases')).rejects.toThrow(sentence)
    await small.stop()
  })
})

async function incrementCounter({ url }: OwnServer): Promise<string> {
  if (url.startsWith('mongodb')) {
    const client = await new MongoClient(url).connect()
    const words = client.db('own').collection<{ _id: string; count: number }>('words')
    await words.updateOne({ _id: 'word' }, { $inc: { count: 1 } }, { upsert: true, writeConcern: { j: true } })
    const count = await words.findOne({ _id: 'word' })
    await client.close()
    return `${count?.count}`
  }
  const client = await createClient({ url }).connect()
  const count = await client.incr('word')
  client.destroy()
  return `${count}`
}

test.each([
  ['Redis', startRedis],
  ['MongoDB', startMongo],
])('own %s: it has its data after a kill and a restart, and is silent while paused', async (name, start) => {
  const server = await start(`${name} of its own`)
  if (server === null) return
  expect(await incrementCounter(server)).toBe('1')
  await server.kill()
  await server.kill()
  await server.restart()
  expect(await incrementCounter(server)).toBe('2')
  server.pause()
  const late = incrementCounter(server)
  expect(await Promise.race([late, new Promise((resolve) => setTimeout(resolve, 300, 'silent'))])).toBe('silent')
  server.resume()
  expect(await late).toBe('3')
  await server.stop()
})
