import { spawn } from 'node:child_process'
import { statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { openStore } from '../../src/store/open/open-store.ts'
import { smallProject } from '../support/built-project.ts'
import { NODE_ARGS } from '../support/node-args.ts'
import { LOCAL_BLOCK, openSite } from './local-site.ts'
import { scanOf } from './nodes.ts'
import { makeFolder, spawnService } from './start-service.ts'

test('without a terminal SIGHUP reloads the plans, and an invalid file changes nothing', async () => {
  const folder = makeFolder()
  const file = join(folder, 'plans.yaml')
  const writeLimit = (perMinute: number): void =>
    writeFileSync(file, `free: { perMinute: ${perMinute}, perMonth: 9 }\n`)
  writeLimit(1000)
  const settings = { DATA_DIR: join(folder, 'data'), PLANS_FILE: file }
  const parts = { project: smallProject(), settings, detached: true }
  const service = await spawnService(process.execPath, [...NODE_ARGS, 'tools/start.mjs', 'src/main'], parts).listening
  const requestMe = () => fetch(`${service.url}/api/v1/me`, { headers: { 'x-api-key': service.key } })
  const readLimit = async () => (await requestMe()).headers.get('x-ratelimit-limit')
  expect(await readLimit()).toBe('1000')
  writeLimit(2000)
  const before = Array.from({ length: 100 }, requestMe)
  service.child.kill('SIGHUP')
  const statuses = (await Promise.all([...before, ...Array.from({ length: 100 }, requestMe)])).map(
    ({ status }) => status,
  )
  expect(new Set(statuses)).toEqual(new Set([200]))
  await expect.poll(readLimit, { timeout: 10_000 }).toBe('2000')
  writeFileSync(file, 'free: {}\n')
  service.child.kill('SIGHUP')
  await expect.poll(() => service.printed.stderr, { timeout: 10_000 }).toContain('the previous plans still apply')
  expect(service.printed.stderr).toContain(`${file}:1: `)
  expect(await readLimit()).toBe('2000')
  const { store } = await openStore({ dataDir: settings.DATA_DIR, mongodbUrl: null, keyPepper: null }, { role: 'tool' })
  const [newest, first, ...others] = await store.audit.listAudit({ account: null, limit: 9 })
  expect(newest).toMatchObject({ action: 'plans_reloaded', detail: 'free', actor: null, command: 'SIGHUP' })
  expect(first).toMatchObject({ action: 'key_created', command: 'start' })
  expect(others).toEqual([])
  await store.close()
  service.child.kill('SIGTERM')
  expect(await service.ended).toBe(0)
})

/** Opens a terminal, runs a program in it, waits for a line on descriptor 3, and closes the terminal. */
const TERMINAL = `
import os, pty, sys, time
pid, terminal = pty.fork()
if pid == 0:
    os.execvp(sys.argv[1], sys.argv[1:])
text = b''
while b'listens on' not in text:
    text += os.read(terminal, 65536)
sys.stdout.write(text.decode()); sys.stdout.flush()
sys.stdin.readline()
os.close(terminal)
_, status = os.waitpid(pid, 0)
print('status', status, flush=True)
`
const python = await new Promise<boolean>((resolve) => {
  spawn('python3', ['-c', 'import pty'])
    .on('error', () => resolve(false))
    .on('exit', (code) => resolve(code === 0))
})

test.skipIf(!python)(
  'a terminal that is closed stops the server gracefully, though it takes no more lines',
  async () => {
    const project = smallProject()
    const site = await openSite()
    const env = {
      PATH: process.env.PATH ?? '',
      HOST: '127.0.0.1',
      PORT: '0',
      DATA_DIR: makeFolder(),
      SCAN_ALLOW: LOCAL_BLOCK,
    }
    const child = spawn('python3', ['-c', TERMINAL, process.execPath, ...NODE_ARGS, 'dist/src/main.js'], {
      cwd: project.folder,
      env,
    })
    let text = ''
    child.stdout.on('data', (data) => {
      text += data
    })
    await expect.poll(() => text, { timeout: 30_000 }).toMatch(/listens on \S+[\s\S]*spk_live_\w+/)
    const url = /listens on (\S+)/.exec(text)?.[1]
    const key = /spk_live_\w+/.exec(text)?.[0] ?? ''
    const slow = fetch(url + scanOf(site.page(1, '/slow')), { headers: { 'x-api-key': key } })
    await sleep(300)
    child.stdin.write('\n')
    expect((await slow).status).toBe(200)
    await expect.poll(() => text, { timeout: 10_000 }).toContain('status')
    // SIGKILL, but after the store was closed, which moves SQLite's write-ahead log into the database.
    expect(text).toMatch(/status 9\n/)
    expect(statSync(join(env.DATA_DIR, 'siteprint.db-wal')).size).toBe(0)
  },
)
