import { spawn } from 'node:child_process'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { smallProject } from '../support/built-project.ts'
import { LOCAL_BLOCK, openSite } from './local-site.ts'
import { scanOf } from './nodes.ts'
import { makeFolder, startService } from './start-service.ts'

test('SIGHUP stops like SIGTERM: pending requests are answered', async () => {
  const site = await openSite()
  const service = await startService(smallProject(), { DATA_DIR: makeFolder(), SCAN_ALLOW: LOCAL_BLOCK })
  const headers = { 'x-api-key': service.key }
  const slow = fetch(service.url + scanOf(site.page(1, '/slow')), { headers })
  await sleep(300)
  service.child.kill('SIGHUP')
  await expect.poll(async () => (await fetch(`${service.url}/health/ready`)).status, { timeout: 900 }).toBe(503)
  expect((await slow).status).toBe(200)
  expect(await service.ended).toBe(0)
  expect(service.printed.stderr).toContain('"signal":"SIGHUP"')
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
    const child = spawn('python3', ['-c', TERMINAL, process.execPath, 'dist/src/main.js'], { cwd: project.folder, env })
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
