import { spawn } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { type BuiltProject, type Outcome, smallProject } from '../support/built-project.ts'
import { NODE_ARGS } from '../support/node-args.ts'
import { type LocalSites, startLocalSites } from './local-sites.ts'

/** Opens every address of the loopback network. */
const ALLOW = ['--allow', '127.0.0.0/8']

let project: BuiltProject
let sites: LocalSites
let address: string
let cwd: string
beforeAll(async () => {
  project = smallProject()
  sites = await startLocalSites()
  address = sites.address(1)
  cwd = sites.cwd
})

const scan = (args: readonly string[], env: Record<string, string> = {}): Promise<Outcome> =>
  project.run('scan', args, { cwd, env })
const parseLines = (text: string): Record<string, unknown>[] =>
  text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))

describe('many live sites', () => {
  test('are visited one at a time, a second apart, even after redirects', async () => {
    const others = Array.from({ length: 3 }, (_, i) => `http://${sites.address(4 + i)}/to`)
    const visits: [string, number][] = []
    const log = ({ url = '', socket }: IncomingMessage): unknown =>
      url === '/landing' && visits.push([String(socket.localAddress), performance.now()])
    sites.server.on('request', log)
    const { code } = await scan([...others, ...ALLOW])
    sites.server.off('request', log)
    expect(code).toBe(0)
    expect(visits.map(([host]) => host)).toEqual(['127.0.0.1', '127.0.0.1', '127.0.0.1'])
    for (const i of [1, 2]) expect(visits[i][1] - visits[i - 1][1]).toBeGreaterThanOrEqual(999)
  })

  test('a bare domain is scanned with http:// if https:// is refused, also alone; concurrent scans cause no warning', async ({
    skip,
  }) => {
    const plain = createServer((_, response) => {
      response.setHeader('content-type', 'text/html').end('<meta name=generator content="WordPress 6.6.1">')
    })
    const isListening = await new Promise<boolean>((resolve) => {
      plain.once('error', () => resolve(false)).listen(80, '127.0.6.1', () => resolve(true))
    })
    if (!isListening) skip('port 80 of 127.0.6.1 is in use, or reserved for root')
    const warnings: string[] = []
    const onWarning = ({ name }: Error): unknown => warnings.push(name)
    process.on('warning', onWarning)
    const others = Array.from({ length: 15 }, (_, i) => `127.0.6.${i + 2}/x`)
    const args = ['127.0.6.1', ...others, ...ALLOW, '--concurrency', '16', '--out', 'plain.jsonl']
    const { code } = await scan(args)
    process.off('warning', onWarning)
    const alone = await scan(['127.0.6.1', ...ALLOW])
    expect(JSON.parse(alone.stdout)).toMatchObject({ url: 'http://127.0.6.1/', builderSlug: 'wordpress' })
    plain.close()
    const [site, ...failed] = parseLines(readFileSync(join(cwd, 'plain.jsonl'), 'utf8')).sort((line) =>
      'result' in line ? -1 : 1,
    )
    expect(site).toMatchObject({ url: '127.0.6.1', result: { url: 'http://127.0.6.1/', builderSlug: 'wordpress' } })
    expect({ code, failed: failed.length, warnings }).toEqual({ code: 1, failed: others.length, warnings: [] })
  })

  test('Ctrl-C keeps what is done, and the next run continues', async () => {
    writeFileSync(join(cwd, 'stop.txt'), `http://${address}/a\nhttp://${address}/hang\nhttp://${address}/b\n`)
    const args = ['--urls', 'stop.txt', '--out', 'stop.jsonl', '--allow', address]
    const child = spawn(
      process.execPath,
      [...NODE_ARGS, join(project.folder, 'dist', 'src', 'cli', 'run.js'), 'scan', ...args],
      {
        cwd,
        env: {},
      },
    )
    const hung = new Promise<void>((resolve) =>
      sites.server.on('request', function onRequest({ url }) {
        if (url !== '/hang') return
        sites.server.off('request', onRequest)
        resolve()
      }),
    )
    await hung
    child.kill('SIGINT')
    const code = await new Promise((resolve) => child.on('close', resolve))
    const done = parseLines(readFileSync(join(cwd, 'stop.jsonl'), 'utf8'))
    expect({ code, urls: done.map(({ url }) => url) }).toEqual({ code: 130, urls: [`http://${address}/a`] })
    writeFileSync(join(cwd, 'stop.txt'), `http://${address}/a\nhttp://${address}/b\n`)
    expect(await scan([...args, '--resume'])).toMatchObject({
      code: 0,
      stderr: '1 site, 0 failed, 1 already done\n',
    })
  })
})
