import { execFile } from 'node:child_process'
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, test } from 'vitest'
import { type BuiltProject, builtProject, smallProject } from '../support/built-project.ts'
import { LOCAL_BLOCK, type LocalSite, openSite } from './local-site.ts'
import { makeFolder, type RunningService, type Settings, spawnService, startService } from './start-service.ts'

const FIELDS = 'url builder builderSlug confidence category isAiNative technologies hosting siteType cached'.split(' ')
const hasCurl = readdirSync('/usr/bin').includes('curl')

let project: BuiltProject
let site: LocalSite
beforeAll(async () => {
  project = smallProject()
  site = await openSite()
})

async function stop({ child, ended }: RunningService): Promise<number | NodeJS.Signals> {
  child.kill('SIGTERM')
  return await ended
}

/** Runs the printed curl command in a shell. */
async function runLine(line: string): Promise<string> {
  return (await promisify(execFile)('bash', ['-c', line])).stdout
}

describe('a first start', () => {
  const folder = join(makeFolder(), 'data')
  let first: RunningService

  test('prints one key and a working command', async ({ skip }) => {
    first = await startService(builtProject(), { DATA_DIR: folder, SCAN_ALLOW: LOCAL_BLOCK })
    const { stdout } = first.printed
    expect(new Set(stdout.match(/spk_live_\w+/g))).toEqual(new Set([first.key]))
    const line = stdout.split('\n').find((one) => one.trim().startsWith('curl')) ?? ''
    if (!hasCurl) skip()
    const answer = JSON.parse(await runLine(line.replace('https://example.org', site.page(1))))
    expect(Object.keys(answer)).toEqual(FIELDS)
    expect(answer).toMatchObject({ url: site.page(1), builderSlug: 'wordpress', cached: false })
  })

  test('creates data readable only by its owner, and keeps the key out of the log', async () => {
    const modes = ['.', 'pepper', 'siteprint.db'].map((file) => statSync(join(folder, file)).mode & 0o777)
    expect(modes).toEqual([0o700, 0o600, 0o600])
    expect(first.printed.stderr).not.toContain(first.key.slice(0, 20))
  })

  test('warns about SCAN_ALLOW and nothing else', async () => {
    const [warning, ...more] = first.printed.stderr.trim().split('\n')
    expect(JSON.parse(warning)).toMatchObject({ level: 'warn', msg: expect.stringContaining('SCAN_ALLOW: opens') })
    expect(more.filter((line) => JSON.parse(line).level !== 'info')).toEqual([])
  })

  test('prevents a second server on its folder', async () => {
    const { code, stdout, stderr } = await project.spawnServer({ env: { DATA_DIR: folder, PORT: '0' } })
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toMatch(/^another server runs on .+: stop it, .+\n$/)
  })

  test('prevents a second server on its port', async () => {
    const { port } = new URL(first.url)
    const env = { DATA_DIR: makeFolder(), PORT: port }
    const { code, stderr } = await project.spawnServer({ env })
    const sentence = `PORT: cannot listen on 127.0.0.1 port ${port}: the port is already in use. Stop the other program, or choose another port.\n`
    expect({ code, stderr }).toEqual({ code: 2, stderr: sentence })
  })

  test('is the only start that prints a key', async () => {
    expect(await stop(first)).toBe(0)
    const second = await startService(project, { DATA_DIR: folder, PORTAL: 'on' })
    expect(second.printed.stdout).toBe(
      `Siteprint listens on ${second.url} (docs: ${second.url}/docs).\nThe portal is at ${second.url}: open it in a browser.\n`,
    )
    expect(second.printed.stderr).not.toContain('SCAN_ALLOW')
    const answer = await fetch(`${second.url}/api/v1/me`, { headers: { 'x-api-key': first.key } })
    expect(await answer.json()).toMatchObject({ plan: 'free', requests_used: hasCurl ? 1 : 0 })
    expect(await stop(second)).toBe(0)
  })
})

/** Settings of a data folder whose only key is revoked. */
async function makeRevokedKey(): Promise<Settings> {
  const env = { DATA_DIR: makeFolder() }
  const create = ['create', '--name', 'A', '--email', 'a@a.example', '--plan', 'pro']
  expect((await project.run('keys', create, { env })).code).toBe(0)
  const { id } = JSON.parse((await project.run('keys', ['list', '--json'], { env })).stdout)
  expect((await project.run('keys', ['revoke', id], { env })).code).toBe(0)
  return env
}

describe('npm start', () => {
  test.each<[signal: 'SIGTERM' | 'SIGINT', data: string, makeData: () => Promise<Settings>, key: RegExp]>([
    ['SIGTERM', 'no data', async () => ({ DATA_DIR: makeFolder() }), /^spk_live_/],
    ['SIGINT', 'a revoked key, instead of which it creates none', makeRevokedKey, /^$/],
  ])('ends when npm gets %s; with %s', async (signal, _, makeData, key) => {
    const settings = { ...(await makeData()), PATH: process.env.PATH ?? '', HOME: makeFolder() }
    const { listening } = spawnService('npm', ['start', '--silent'], { project, settings })
    const service = await listening
    service.child.kill(signal)
    expect(await service.ended).toBe(0)
    expect(service.key).toMatch(key)
    await expect(fetch(service.url)).rejects.toMatchObject({ cause: { code: 'ECONNREFUSED' } })
  })
})
