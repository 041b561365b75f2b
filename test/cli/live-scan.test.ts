import { spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type BuiltProject, type Outcome, smallProject } from '../support/built-project.ts'
import { NODE_ARGS } from '../support/node-args.ts'

const FIELDS = 'url builder builderSlug confidence category isAiNative technologies hosting siteType cached'.split(' ')

let project: BuiltProject
let server: Server
let address: string
let cwd: string
const requests: { path: string; agent: string }[] = []
beforeAll(async () => {
  project = smallProject()
  cwd = mkdtempSync(join(tmpdir(), 'siteprint-live-'))
  server = createServer(({ url = '', headers }, response) => {
    requests.push({ path: url, agent: String(headers['user-agent']) })
    if (url === '/hang') return
    if (url === '/to') response.writeHead(302, { location: `http://${address}/landing` }).end()
    else if (url === '/moved') response.writeHead(302, { location: '/' }).end()
    else if (/^\/(?:robots\.txt|favicon\.ico)$/.test(url)) response.writeHead(404).end()
    else
      response
        .setHeader('content-type', 'text/html')
        .end('<title>Tide\n tables</title><meta name=generator content="WordPress 6.6.1"><p>One page')
  })
  await new Promise<void>((resolve) => server.listen(0, '0.0.0.0', resolve))
  address = `127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
  rmSync(cwd, { recursive: true })
})

const scan = (args: readonly string[], env: Record<string, string> = {}): Promise<Outcome> =>
  project.run('scan', args, { cwd, env })
const parseLines = (text: string): Record<string, unknown>[] =>
  text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))

describe('one live site', () => {
  test.each([
    ['--allow', (): [string[], object] => [['--allow', address], {}]],
    [
      'SCAN_ALLOW',
      (): [string[], object] => [[], { SCAN_ALLOW: '10.0.0.1,127.0.0.0/8', CONTACT_URL: 'https://a.example/bot' }],
    ],
  ])('is scanned if %s opens its address', async (_, how) => {
    const [args, env] = how()
    const { code, stdout, stderr } = await scan([`http://${address}/moved`, ...args], env as Record<string, string>)
    const result = JSON.parse(stdout)
    const warning = 'SCAN_ALLOW' in env ? 'SCAN_ALLOW is set: it opens addresses that are not public\n' : ''
    expect({ code, stderr, fields: Object.keys(result) }).toEqual({ code: 0, stderr: warning, fields: FIELDS })
    expect(result).toMatchObject({ url: `http://${address}/`, builderSlug: 'wordpress', cached: false })
  })

  test('is requested with a User-Agent that contains the contact address', () => {
    expect(new Set(requests.map(({ agent }) => agent))).toEqual(
      new Set(['Siteprint/0.1.0', 'Siteprint/0.1.0 (+https://a.example/bot)']),
    )
  })

  test('--include appends fields, --skip leaves out side evidence', async () => {
    requests.length = 0
    const include = ['--include', 'meta,timing,infrastructure,warnings,versions,evidence', '--skip', 'robots,favicon']
    const { stdout } = await scan([`http://${address}/`, '--allow', '127.0.0.1', ...include])
    const result = JSON.parse(stdout)
    const extras = ['evidence', 'versions', 'infrastructure', 'timing', 'warnings', 'meta']
    expect(Object.keys(result)).toEqual([...FIELDS, ...extras])
    expect(result.warnings).toEqual(['not looked at: robots, favicon'])
    const anything = expect.any(String)
    expect(result.meta).toEqual({ status: 200, scannedAt: anything, ruleset: anything, title: 'Tide tables' })
    expect(result.infrastructure).toEqual({ cdn: null, dns: [], ip: '127.0.0.1', tlsIssuer: null, server: null })
    expect(Object.keys(result.timing)).toEqual(['fetch', 'evidence', 'bodies', 'match', 'total'])
    expect(requests.map(({ path }) => path)).toEqual(['/'])
  })

  test.each([
    [
      'http://localhost/',
      'This host is not a public name or address. Only public websites can be scanned. (blocked_target)',
    ],
    [
      'http://[::1]/',
      'This host is not a public name or address. Only public websites can be scanned. (blocked_target)',
    ],
    [
      'nonsense',
      'A site must be a domain with a dot such as example.org, or a URL such as https://example.org, at most 2048 characters long and without credentials. (invalid_url)',
    ],
    ['https://example.org:8443/', 'This port cannot be scanned. Remove the port from the URL. (blocked_target)'],
  ])('%s is rejected with a sentence', async (url, sentence) => {
    const { code, stdout, stderr } = await scan([url])
    expect({ code, stdout, first: stderr.split('\n')[0] }).toEqual({ code: 2, stdout: '', first: sentence })
    expect(stderr.includes('--allow')).toBe(/^http:/.test(url))
  })

  test.each([
    [
      ['--allow', 'localhost', 'http://a.example/'],
      '--allow must be address[/bits][:port], IPv6 in brackets, not "localhost"',
    ],
    [['--concurrency', '2', 'http://a.example/'], '--concurrency cannot be used with a single URL'],
    [['--resume', '--urls', 'x.txt'], '--resume continues an output file: name it with --out'],
    [
      ['--html', 'x.html', 'http://a.example/'],
      'unexpected argument "http://a.example/": --html already names the input',
    ],
    [
      ['--urls', 'x.txt', '--include', 'dns'],
      '--include does not accept "dns": use one or more of evidence, versions, infrastructure, timing, warnings, meta',
    ],
  ])('wrong usage %j', async (args, sentence) => {
    const { code, stderr } = await scan(args)
    expect({ code, stderr: stderr.split('\n')[0] }).toEqual({ code: 2, stderr: sentence })
  })

  test('all invalid settings are reported at once, without their values', async () => {
    const env = { SCAN_ALLOW: '127.0.0.1,secret', SCAN_PORTS: '80,x', CONTACT_URL: 'me', RULES_DIRS: 'none' }
    const { code, stderr } = await scan(['http://a.example/'], env)
    expect(code).toBe(2)
    expect(stderr.trim().split('\n')).toEqual([
      'SCAN_ALLOW: entry 2 is not an address[/bits][:port]; write IPv6 addresses in brackets',
      'SCAN_PORTS: entry 2 is not a port from 1 to 65535',
      'CONTACT_URL: write an http, https or mailto URL',
      `RULES_DIRS: the folder does not exist: ${join(cwd, 'none')}`,
    ])
  })
})

describe('many live sites', () => {
  test('are visited one at a time, a second apart, even after redirects', async () => {
    const others = Array.from({ length: 3 }, (_, i) => `http://127.0.4.${i + 1}:${address.split(':')[1]}/to`)
    const visits: [string, number][] = []
    const log = ({ url = '', socket }: IncomingMessage): unknown =>
      url === '/landing' && visits.push([String(socket.localAddress), performance.now()])
    server.on('request', log)
    const { code } = await scan([...others, '--allow', '127.0.0.0/8'])
    server.off('request', log)
    expect(code).toBe(0)
    expect(visits.map(([host]) => host)).toEqual(['127.0.0.1', '127.0.0.1', '127.0.0.1'])
    for (const i of [1, 2]) expect(visits[i][1] - visits[i - 1][1]).toBeGreaterThanOrEqual(999)
  })

  test.each([
    ['', 'none.txt contains no URL: write one per line'],
    ['# a\n\n', 'none.txt contains no URL: write one per line'],
    [Buffer.from('a.example\nmüller.example\n', 'latin1'), 'none.txt is not in UTF-8: save it again as UTF-8'],
    [Buffer.from('\ufeffa.example\n', 'utf16le'), 'none.txt is not in UTF-8: save it again as UTF-8'],
    [Buffer.from('a.example\n', 'utf16le'), 'none.txt is not in UTF-8: save it again as UTF-8'],
  ])('a list of %j is wrong usage', async (text, sentence) => {
    writeFileSync(join(cwd, 'none.txt'), text)
    const { code, stderr } = await scan(['--urls', 'none.txt'])
    expect({ code, stderr: stderr.split('\n')[0] }).toEqual({ code: 2, stderr: sentence })
  })

  test('have one line each; a failure does not affect the others', async () => {
    const urls = [`http://${address}/a`, 'http://localhost/', ' nonsense ']
    const { code, stdout, stderr } = await scan([...urls, '--allow', address])
    const lines = parseLines(stdout).sort((a, b) => urls.indexOf(String(a.url)) - urls.indexOf(String(b.url)))
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: '3 sites, 2 failed\nfailed: blocked_target 1, invalid_url 1\n',
    })
    expect(lines).toMatchObject([
      { url: urls[0], result: { builderSlug: 'wordpress' } },
      { url: urls[1], code: 'blocked_target' },
      { url: urls[2], code: 'invalid_url', error: expect.stringMatching(/^A site must be a domain with a dot/) },
    ])
  })

  test('--urls reads a file, writes CSV, and a second run continues', async () => {
    writeFileSync(
      join(cwd, 'urls.txt'),
      `# ours\nhttp://${address}/a\n\nhttp://${address}/a\nhttp://${address}/b\nnonsense\n`,
    )
    const args = ['--urls', 'urls.txt', '--out', 'out.csv', '--resume', '--allow', address]
    expect(await scan(args)).toEqual({
      code: 1,
      stdout: '',
      stderr: '3 sites, 1 failed, 1 duplicate skipped\nfailed: invalid_url 1\n',
    })
    const whole = readFileSync(join(cwd, 'out.csv'), 'utf8')
    expect(whole.trim().split('\n')).toHaveLength(4)
    requests.length = 0
    expect(await scan(args)).toEqual({
      code: 0,
      stdout: '',
      stderr: '0 sites, 0 failed, 3 already done, 1 duplicate skipped\n',
    })
    expect({ again: readFileSync(join(cwd, 'out.csv'), 'utf8'), requests }).toEqual({ again: whole, requests: [] })
  })

  test('the same site is scanned once, and failures are counted by code', async () => {
    // HTTPS on a port that speaks HTTP fails, but is not refused, so HTTP is not tried. Nothing listens on port 9.
    const port = address.split(':')[1]
    const list = [
      `127.0.5.1:${port}/a`,
      `https://127.0.5.1:${port}/a#top`,
      'http://127.0.5.1:9',
      'nonsense',
      'page html',
    ]
    writeFileSync(join(cwd, 'bare.txt'), list.join('\n'))
    requests.length = 0
    const { code, stdout, stderr } = await scan(['--urls', 'bare.txt', '--allow', '127.0.0.0/8'])
    const lines = parseLines(stdout).map(({ url, code: failure }) => [url, failure])
    expect(lines.sort()).toEqual([
      [list[0], 'scan_failed'],
      ['http://127.0.5.1:9', 'scan_failed'],
      ['nonsense', 'invalid_url'],
      ['page html', 'invalid_url'],
    ])
    const summary = '4 sites, 4 failed, 1 duplicate skipped\nfailed: invalid_url 2, scan_failed 2\n'
    expect({ code, stderr, requests }).toEqual({ code: 1, stderr: summary, requests: [] })
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
    const args = ['127.0.6.1', ...others, '--allow', '127.0.0.0/8', '--concurrency', '16', '--out', 'plain.jsonl']
    const { code } = await scan(args)
    process.off('warning', onWarning)
    const alone = await scan(['127.0.6.1', '--allow', '127.0.0.0/8'])
    expect(JSON.parse(alone.stdout)).toMatchObject({ url: 'http://127.0.6.1/', builderSlug: 'wordpress' })
    plain.close()
    const [site, ...failed] = parseLines(readFileSync(join(cwd, 'plain.jsonl'), 'utf8')).sort((line) =>
      'result' in line ? -1 : 1,
    )
    expect(site).toMatchObject({ url: '127.0.6.1', result: { url: 'http://127.0.6.1/', builderSlug: 'wordpress' } })
    expect({ code, failed: failed.length, warnings }).toEqual({ code: 1, failed: others.length, warnings: [] })
  })

  test('--column reads a CSV file; its other columns, chosen columns and technologies are written', async () => {
    const rows = [
      'Company;Domain;Category',
      `"Tide; Ltd";http://${address}/a;"x\ny"`,
      'None;;z',
      `Again;HTTP://${address}/a#top;z`,
      'Dead;nonsense;',
      '',
    ]
    writeFileSync(join(cwd, 'companies.csv'), `\ufeff${rows.join('\r\n')}`)
    const args = ['--urls', 'companies.csv', '--column', 'domain', '--allow', address]
    const table = ['--technologies-out', 'technologies.csv']
    const columns = 'status,builder,title,versions,cdn,code,durationMs,ruleset,scannedAt'
    const outcome = await scan([...args, '--out', 'columns.csv', '--columns', columns, ...table])
    expect(outcome).toEqual({
      code: 1,
      stdout: '',
      stderr: '2 sites, 1 failed, 1 duplicate skipped, 1 row without a site\nfailed: invalid_url 1\n',
    })
    const written = readFileSync(join(cwd, 'columns.csv'), 'utf8')
    const steady = written.replace(/,\d+,[\da-f]{16},\d{4}-\d\d-\d\dT[\d:.]+Z,/g, ',MS,RULES,TIME,')
    const [header, ...lines] = steady.trim().replace('x\ny', 'x y').split('\n')
    expect([header, ...lines.sort()]).toEqual([
      `url,${columns},Company,input_Category`,
      `http://${address}/a,200,WordPress,Tide tables,WordPress 6.6.1,,,MS,RULES,TIME,Tide; Ltd,"x y"`,
      'nonsense,,,,,,invalid_url,MS,RULES,TIME,Dead,',
    ])
    expect(readFileSync(join(cwd, 'technologies.csv'), 'utf8')).toBe(
      `url,slug,name,category,version,level\nhttp://${address}/a,wordpress,WordPress,cms,6.6.1,high\n`,
    )
    writeFileSync(join(cwd, 'table.csv'), 'name,domain\n')
    expect((await scan(['--urls', 'table.csv'])).stderr).toMatch(
      /\nif table\.csv is a table, name its column with --column\n$/,
    )
    const withMeta = parseLines((await scan([...args, '--include', 'meta'])).stdout)
    expect(withMeta.map((line) => Object.keys(line))).toEqual(
      expect.arrayContaining([
        ['url', 'input', 'result'],
        ['url', 'input', 'error', 'code', 'meta'],
      ]),
    )
    const failed = withMeta.find(({ code }) => code !== undefined)
    expect(failed).toMatchObject({
      input: { Company: 'Dead', Category: '' },
      meta: {
        status: null,
        scannedAt: expect.any(String),
        ruleset: expect.stringMatching(/^[\da-f]{16}$/),
        title: null,
      },
    })
  })

  test.each(['jsonl', 'csv'])(
    '--retry-failed scans the sites of a .%s file that failed again, and keeps the others',
    async (end) => {
      const out = `retry.${end}`
      writeFileSync(join(cwd, 'retry.txt'), `http://${address}/a\nhttp://${address}/b\nnonsense\n`)
      const args = ['--urls', 'retry.txt', '--out', out]
      const allow = ['--allow', address]
      // The first run must not connect to the address, so both sites fail.
      expect(await scan(args)).toMatchObject({ stderr: '3 sites, 3 failed\nfailed: blocked_target 2, invalid_url 1\n' })
      const second = await scan([...args, ...allow, '--retry-failed'])
      expect(second).toMatchObject({ code: 1, stderr: '3 sites, 1 failed\nfailed: invalid_url 1\n' })
      const whole = readFileSync(join(cwd, out), 'utf8').trim().split('\n')
      requests.length = 0
      const third = await scan([...args, ...allow, '--retry-failed'])
      expect(third).toMatchObject({ code: 1, stderr: '1 site, 1 failed, 2 already done\nfailed: invalid_url 1\n' })
      const again = readFileSync(join(cwd, out), 'utf8').trim().split('\n')
      const sortLines = (lines: string[]): string[] =>
        lines.map((line) => line.replace(/^(nonsense,.*?)\d{4}-[^,]*,/, '$1,')).sort() // The time of the scan differs.
      expect({ lines: sortLines(again), requests }).toEqual({ lines: sortLines(whole), requests: [] })
      expect(readdirSync(cwd)).not.toContain(`${out}.part`)
    },
  )

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
      server.on('request', function onRequest({ url }) {
        if (url !== '/hang') return
        server.off('request', onRequest)
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
