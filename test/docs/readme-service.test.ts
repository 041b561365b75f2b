import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { projectFolder } from '../../src/rules/built.ts'
import { type BuiltProject, copyProject } from '../support/built-project.ts'
import { readmeExample, readmePart } from '../support/readme-examples.ts'

/** What the README shows, and what stands for it here. */
const SHOWN = { address: 'http://127.0.0.1:3000', site: 'https://example.org', key: 'spk_live_…' }

const hasCurl = spawnSync('curl', ['--version']).status === 0
if (!hasCurl && process.env.REQUIRE_SERVICES === '1') throw new Error("the README's examples need curl")
if (!hasCurl) process.stderr.write("SKIPPED the README's examples: they need curl\n")

const pages = createServer(servePage)
let project: BuiltProject
let service: ChildProcess
let greeting = ''
let here: typeof SHOWN

/** The example page, at any path's root, with the headers it came with. */
function servePage({ url }: { url?: string }, response: ServerResponse): void {
  const folder = join(projectFolder(), 'examples')
  const isPage = url?.split('?')[0] === '/'
  const headers = JSON.parse(readFileSync(join(folder, 'headers.json'), 'utf8')) as Record<string, string>
  response
    .writeHead(isPage ? 200 : 404, isPage ? headers : {})
    .end(isPage ? readFileSync(join(folder, 'page.html')) : '')
}

async function portOf(server: Server): Promise<number> {
  if (!server.listening) await once(server.listen(0, '127.0.0.1'), 'listening')
  return (server.address() as AddressInfo).port
}

function settings(): Record<string, string> {
  const dataDir = join(project.folder, 'data')
  return { PATH: process.env.PATH ?? '', PORT: '0', DATA_DIR: dataDir, SCAN_ALLOW: '127.0.0.1', LOG_LEVEL: 'fatal' }
}

beforeAll(async () => {
  project = copyProject()
  service = spawn(process.execPath, ['dist/src/main.js'], {
    cwd: project.folder,
    env: settings(),
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  for await (const text of service.stdout as NonNullable<ChildProcess['stdout']>) {
    greeting += text
    if (/Try it:\n.*\n/.test(greeting)) break
  }
  const [address = ''] = /http:\/\/127\.0\.0\.1:\d+/.exec(greeting) ?? []
  const [key = ''] = /spk_live_\w+/.exec(greeting) ?? []
  here = { address, key, site: `http://127.0.0.1:${await portOf(pages)}` }
})

afterAll(async () => {
  if (service?.exitCode === null) {
    service.kill('SIGTERM')
    await once(service, 'exit')
  }
  pages.close()
})

/** Runs what the README shows, against what runs here: this process serves the site meanwhile. */
async function runShown(code: string): Promise<string> {
  const command = code.replaceAll(SHOWN.address, here.address).replaceAll(SHOWN.site, here.site)
  const env = { ...settings(), KEY: here.key }
  const { stdout } = await promisify(execFile)('bash', ['-ec', command], { cwd: project.folder, env })
  return stdout
}

/** An answer without its values: names in their order, and kinds. What may be null is a text. */
function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return 'list'
  if (typeof value !== 'object' || value === null) return value === null ? 'string' : typeof value
  return Object.entries(value).map(([name, part]) => [name, shapeOf(part)])
}

describe.skipIf(!hasCurl)('what the README shows comes', () => {
  test('at the first start', () => {
    const shown = readmeExample('start').replaceAll(SHOWN.address, here.address).replaceAll(SHOWN.key, here.key)
    expect(greeting).toBe(shown)
  })

  test('of a scan: word for word, but for where the page was found', async () => {
    const shown = JSON.parse(readmePart('example')) as Record<string, unknown>
    const came = JSON.parse(await runShown(readmeExample('curl-scan'))) as Record<string, unknown>
    expect(came).toEqual({ ...shown, url: `${here.site}/` })
    expect(Object.keys(came)).toEqual(Object.keys(shown))
  })

  test.each<[name: string, same: readonly string[]]>([
    ['post', ['builder', 'technologies', 'cached', 'versions']],
    ['me', ['name', 'email', 'plan', 'requests_limit']],
    ['error', ['error', 'code']],
  ])('as JSON: %s', async (name, same) => {
    const shown = JSON.parse(readmeExample(`answer-${name}`)) as Record<string, unknown>
    const came = JSON.parse(await runShown(readmeExample(`curl-${name}`))) as Record<string, unknown>
    expect(shapeOf(came)).toEqual(shapeOf(shown))
    for (const field of same) expect(came[field]).toEqual(shown[field])
  })

  test('as headers', async () => {
    const came = await runShown(readmeExample('curl-headers'))
    for (const line of readmeExample('answer-headers').trim().split('\n')) {
      const [, name] = /^([\w-]+): /.exec(line) ?? []
      expect(came.toLowerCase()).toContain(name === undefined ? line.toLowerCase() : `\r\n${name}: `)
    }
  })

  test('of the commands', async () => {
    const [id] = /key_\w+/.exec(await runShown('npm run -s keys -- list')) ?? []
    const keys = await runShown(readmeExample('keys').replaceAll('<id>', String(id)))
    expect(keys.match(/^spk_live_\w{38}$/gm)).toHaveLength(3)
    const service = await runShown(readmeExample('service').replace('<folder>', join(project.folder, 'backup')))
    const status = (maintenance: boolean, api: boolean) => `${JSON.stringify({ maintenance, api })}\n`
    const told = [
      status(true, true),
      status(false, true),
      status(false, false),
      status(false, true),
      status(false, true),
    ]
    expect(service).toBe(told.join(''))
  })
})
