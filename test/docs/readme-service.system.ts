import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { projectFolder } from '../../src/rules/built.ts'
import { makeFolder } from '../service/start-service.ts'
import { type BuiltProject, builtProject } from '../support/built-project.ts'
import { documentExample, documentPart } from '../support/document-examples.ts'
import { NODE_ARGS } from '../support/node-args.ts'
import { skipSuite } from '../support/report-skipped.ts'

/** Values in the documents that the tests replace with their own. */
const SHOWN = { address: 'http://127.0.0.1:3000', site: 'https://example.org', key: 'spk_live_…' }

const hasCurl = spawnSync('curl', ['--version']).status === 0
if (!hasCurl) skipSuite('the examples of the documents', { what: 'curl', todo: 'install curl' })

const read = (file: string): string => readFileSync(join(projectFolder(), file), 'utf8')
const pages = createServer(servePage)
let project: BuiltProject
let data: string
let service: ChildProcess
let greeting = ''
let here: typeof SHOWN

/** Serves the example page at `/`, with its headers. */
function servePage({ url }: { url?: string }, response: ServerResponse): void {
  const folder = join(projectFolder(), 'examples')
  const isPage = url?.split('?')[0] === '/'
  const headers = JSON.parse(readFileSync(join(folder, 'headers.json'), 'utf8')) as Record<string, string>
  response
    .writeHead(isPage ? 200 : 404, isPage ? headers : {})
    .end(isPage ? readFileSync(join(folder, 'page.html')) : '')
}

async function findPort(server: Server): Promise<number> {
  if (!server.listening) await once(server.listen(0, '127.0.0.1'), 'listening')
  return (server.address() as AddressInfo).port
}

function buildSettings(): Record<string, string> {
  return {
    PATH: process.env.PATH ?? '',
    PORT: '0',
    DATA_DIR: join(data, 'data'),
    SCAN_ALLOW: '127.0.0.1',
    LOG_LEVEL: 'fatal',
  }
}

beforeAll(async () => {
  project = builtProject()
  data = makeFolder()
  service = spawn(process.execPath, [...NODE_ARGS, 'dist/src/main.js'], {
    cwd: project.folder,
    env: buildSettings(),
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  for await (const text of service.stdout as NonNullable<ChildProcess['stdout']>) {
    greeting += text
    if (/Try it:\n.*\n/.test(greeting)) break
  }
  const [address = ''] = /http:\/\/127\.0\.0\.1:\d+/.exec(greeting) ?? []
  const [key = ''] = /spk_live_\w+/.exec(greeting) ?? []
  here = { address, key, site: `http://127.0.0.1:${await findPort(pages)}` }
})

afterAll(async () => {
  if (service?.exitCode === null) {
    service.kill('SIGTERM')
    await once(service, 'exit')
  }
  pages.close()
})

const { scripts } = JSON.parse(read('package.json')) as { readonly scripts: Readonly<Record<string, string>> }

/**
 * Runs a command of a document against the service of this test. Asynchronous, because this process serves the site. Scripts of
 * the project run without npm, which takes as long to start as they do.
 */
async function runShown(code: string): Promise<string> {
  const command = code
    .replaceAll(SHOWN.address, here.address)
    .replaceAll(SHOWN.site, here.site)
    .replace(/npm run -s (\w+) --/g, (_, name: string) => scripts[name] ?? expect.fail(`there is no script ${name}`))
    .replaceAll('node tools/start.mjs', `node ${NODE_ARGS.join(' ')} tools/start.mjs`)
  const env = { ...buildSettings(), KEY: here.key }
  const { stdout } = await promisify(execFile)('bash', ['-ec', command], { cwd: project.folder, env })
  return stdout
}

/** Returns a response without its values: the names in their order, and the types. Null counts as a string. */
function describeShape(value: unknown): unknown {
  if (Array.isArray(value)) return 'list'
  if (typeof value !== 'object' || value === null) return value === null ? 'string' : typeof value
  return Object.entries(value).map(([name, part]) => [name, describeShape(part)])
}

describe.skipIf(!hasCurl)('an example of the documents is what the service does', () => {
  test('first start', () => {
    const shown = documentExample('start').replaceAll(SHOWN.address, here.address).replaceAll(SHOWN.key, here.key)
    expect(greeting).toBe(shown)
  })

  test('scan, word for word except for the address', async () => {
    const shown = JSON.parse(documentPart('example')) as Record<string, unknown>
    const came = JSON.parse(await runShown(documentExample('curl-scan'))) as Record<string, unknown>
    expect(came).toEqual({ ...shown, url: `${here.site}/` })
    expect(Object.keys(came)).toEqual(Object.keys(shown))
  })

  test.each<[name: string, same: readonly string[]]>([
    ['post', ['builder', 'technologies', 'cached', 'versions']],
    ['me', ['name', 'email', 'plan', 'requests_limit']],
    ['error', ['error', 'code']],
  ])('%s', async (name, same) => {
    const shown = JSON.parse(documentExample(`answer-${name}`)) as Record<string, unknown>
    const came = JSON.parse(await runShown(documentExample(`curl-${name}`))) as Record<string, unknown>
    expect(describeShape(came)).toEqual(describeShape(shown))
    for (const field of same) expect(came[field]).toEqual(shown[field])
  })

  test('catalogue, shortened', async () => {
    const shown = JSON.parse(documentExample('answer-catalogue')) as { entries: object[] }
    const came = JSON.parse(await runShown(documentExample('curl-catalogue'))) as { entries: object[] }
    expect(describeShape(came)).toEqual(describeShape(shown))
    expect(shown.entries.length).toBeGreaterThan(1)
    expect(came.entries).toEqual(expect.arrayContaining(shown.entries))
    expect(came.entries.map((entry) => Object.keys(entry))).toContainEqual(Object.keys(shown.entries[0]))
  })

  test('headers', async () => {
    const came = await runShown(documentExample('curl-headers'))
    for (const line of documentExample('answer-headers').trim().split('\n')) {
      const [, name] = /^([\w-]+): /.exec(line) ?? []
      expect(came.toLowerCase()).toContain(name === undefined ? line.toLowerCase() : `\r\n${name}: `)
    }
  })

  test('scan of the saved example page', async () => {
    const [command] = /^npm run -s scan -- --html examples.*$/m.exec(read('README.md')) ?? []
    expect(JSON.parse(await runShown(String(command)))).toEqual(JSON.parse(documentPart('example')))
  })

  test('keys and service commands', async () => {
    const [id] = /key_\w+/.exec(await runShown('npm run -s keys -- list')) ?? []
    const keys = await runShown(documentExample('keys').replaceAll('<id>', String(id)))
    expect(keys.match(/^spk_live_\w{38}$/gm)).toHaveLength(3)
    const service = await runShown(documentExample('service').replace('<folder>', join(data, 'backup')))
    const formatStatus = (maintenance: boolean, api: boolean) => `${JSON.stringify({ maintenance, api })}\n`
    const printed = [
      formatStatus(true, true),
      formatStatus(false, true),
      formatStatus(false, false),
      formatStatus(false, true),
      formatStatus(false, true),
    ]
    expect(service).toBe(printed.join(''))
  })
})
