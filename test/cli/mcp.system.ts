import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { beforeAll, describe, expect, test } from 'vitest'
import { builtProject } from '../support/built-project.ts'
import { onFileEnd } from '../support/on-file-end.ts'
import { type LocalSites, startLocalSites } from './local-sites.ts'

let sites: LocalSites
beforeAll(async () => {
  sites = await startLocalSites()
})

const command = (): string => join(builtProject().folder, 'dist', 'src', 'siteprint.js')

/** Connects the official client to `siteprint mcp`. */
async function connect(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Client> {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [command(), 'mcp', ...args],
    cwd: sites.cwd,
    env: { PATH: '', CACHE_DIR: sites.cwd, ...env },
    stderr: 'ignore',
  })
  const client = new Client({ name: 'tests', version: '1.0.0' })
  await client.connect(transport)
  onFileEnd(() => client.close())
  return client
}

describe('siteprint mcp', () => {
  test('says what a page of a local server is made with, and why', async () => {
    const client = await connect(['--allow', '127.0.0.0/8'])
    const { tools } = await client.listTools()
    expect(tools).toHaveLength(5)
    const url = `http://${sites.address(1)}/`
    const scan = await client.callTool({
      name: 'scan_site',
      arguments: { url, include: ['evidence', 'meta', 'versions'] },
    })
    expect(scan.structuredContent).toMatchObject({
      url,
      builder: 'WordPress',
      fromPage: { title: 'Tide tables', versions: { WordPress: '6.6.1' } },
    })
    const why = await client.callTool({ name: 'explain_site', arguments: { url, name: 'wordpress' } })
    expect(why.structuredContent).toMatchObject({ detected: true, answer: expect.stringContaining('high confidence') })
    expect(JSON.stringify(why.structuredContent)).toContain('WordPress 6.6.1')
    const whyNot = await client.callTool({ name: 'explain_site', arguments: { url, name: 'Drupal' } })
    expect(whyNot.structuredContent).toMatchObject({ detected: false })
    const { structuredContent } = await client.callTool({ name: 'usage' })
    expect(structuredContent).toEqual({ plan: null, used: 3, limit: null, remaining: null, resetsOn: null })
  })

  test('keeps the policy of addresses, and says what opens one', async () => {
    const client = await connect([])
    const { isError, content } = await client.callTool({
      name: 'scan_site',
      arguments: { url: `http://${sites.address(1)}/` },
    })
    expect([isError, content]).toEqual([true, [{ type: 'text', text: expect.stringContaining('"--allow"') }]])
  })

  test('a service that does not answer is a sentence', async () => {
    const client = await connect(['--api', 'http://127.0.0.1:9'], { SITEPRINT_KEY: 'spk_live_x' })
    const { isError, content } = await client.callTool({ name: 'usage' })
    expect([isError, content]).toEqual([true, [{ type: 'text', text: expect.stringContaining('does not answer') }]])
  })

  test.each<[what: string, args: readonly string[], input: string, code: number, output: RegExp]>([
    ['a client that leaves', [], '', 0, /^$/],
    ['lines that are no messages', [], 'no JSON\n{"a":1}\n', 0, /^$/],
    ['--api without a key', ['--api', 'http://127.0.0.1:9'], '', 2, /^$/],
    ['--allow with --api', ['--api', 'http://127.0.0.1:9', '--allow', '10.0.0.1'], '', 2, /^$/],
  ])('%s', async (_, args, input, code, output) => {
    const child = spawn(process.execPath, [command(), 'mcp', ...args], {
      cwd: sites.cwd,
      env: { PATH: '', CACHE_DIR: sites.cwd },
    })
    let stdout = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text
    })
    child.stdin.end(input)
    const exit = await new Promise((resolve) => child.on('close', resolve))
    expect(exit).toBe(code)
    expect(stdout).toMatch(output)
  })
})
