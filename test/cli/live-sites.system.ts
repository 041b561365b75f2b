import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { type BuiltProject, type Outcome, smallProject } from '../support/built-project.ts'
import { type LocalSites, startLocalSites } from './local-sites.ts'

const FIELDS = 'url builder builderSlug confidence category isAiNative technologies hosting siteType cached'.split(' ')
const ALLOW_IT = 'To scan a site on your own machine or network, allow its address: --allow'
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

describe('one live site', () => {
  test.each<[how: string, args: () => string[], env: Record<string, string>, agent: string, stderr: string]>([
    ['--allow', () => ['--allow', address], {}, 'Siteprint/0.1.0', ''],
    [
      'SCAN_ALLOW',
      () => [],
      { SCAN_ALLOW: '10.0.0.1,127.0.0.0/8', CONTACT_URL: 'https://a.example/bot' },
      'Siteprint/0.1.0 (+https://a.example/bot)',
      'SCAN_ALLOW is set: it opens addresses that are not public\n',
    ],
  ])('is scanned if %s opens its address, with a User-Agent that contains the contact address', async (...row) => {
    const [, readArgs, env, agent, warning] = row
    sites.requests.length = 0
    const { code, stdout, stderr } = await scan([`http://${address}/moved`, ...readArgs()], env)
    const result = JSON.parse(stdout)
    // On a slow machine side evidence may arrive too late, which is another warning.
    const others = stderr.replace(/^not looked at: .*\n/m, '')
    expect({ code, others, fields: Object.keys(result) }).toEqual({ code: 0, others: warning, fields: FIELDS })
    expect(result).toMatchObject({ url: `http://${address}/`, builderSlug: 'wordpress', cached: false })
    expect(new Set(sites.requests.map((request) => request.agent))).toEqual(new Set([agent]))
  })

  test('--include appends fields, --skip leaves out side evidence', async () => {
    sites.requests.length = 0
    const include = ['--include', 'meta,timing,infrastructure,warnings,versions,evidence', '--skip', 'robots,favicon']
    const { stdout } = await scan([`http://${address}/`, '--allow', '127.0.0.1', ...include])
    const result = JSON.parse(stdout)
    const extras = ['evidence', 'versions', 'infrastructure', 'timing', 'warnings', 'meta']
    expect(Object.keys(result)).toEqual([...FIELDS, ...extras])
    expect(result.warnings).toEqual(['not looked at: robots, favicon'])
    const anything = expect.any(String)
    expect(result.meta).toEqual({ status: 200, scannedAt: anything, ruleset: anything, title: 'Tide tables' })
    const unknown = { cdn: null, tlsIssuer: null, tlsError: null, server: null, network: null, reverseDns: null }
    expect(result.infrastructure).toEqual({ ...unknown, dns: [], ip: '127.0.0.1' })
    expect(Object.keys(result.timing)).toEqual(['fetch', 'evidence', 'bodies', 'match', 'total'])
    expect(sites.requests.map(({ path }) => path)).toEqual(['/'])
  })

  test.each([
    [
      'http://localhost/',
      'This host is not a public name or address. Only public websites can be scanned. (blocked_target)',
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
      '--include does not accept "dns": use one of evidence, versions, infrastructure, timing, warnings, meta, page, details, packages',
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
    const urls = [`http://${address}/a`, 'http://[::1]/', ' nonsense ']
    const blocked = 'This host is not a public name or address. Only public websites can be scanned.'
    const invalid =
      'A site must be a domain with a dot such as example.org, or a URL such as https://example.org, at most 2048 characters long and without credentials.'
    const { code, stdout, stderr } = await scan([...urls, '--allow', address])
    const lines = parseLines(stdout).sort((a, b) => urls.indexOf(String(a.url)) - urls.indexOf(String(b.url)))
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: `3 sites, 2 failed\nfailed: blocked_target 1, invalid_url 1\n${ALLOW_IT} [::1]\n`,
    })
    expect(lines).toMatchObject([
      { url: urls[0], result: { builderSlug: 'wordpress' } },
      { url: urls[1], code: 'blocked_target', error: blocked },
      { url: urls[2], code: 'invalid_url', error: invalid },
    ])
  })

  test('--urls reads a file, writes CSV, and a second run continues', async () => {
    writeFileSync(
      join(cwd, 'urls.txt'),
      `# ours\nhttp://${address}/a\n\nhttp://${address}/a\nhttp://${sites.address(2)}/b\nnonsense\n`,
    )
    const args = ['--urls', 'urls.txt', '--out', 'out.csv', '--resume', ...ALLOW]
    expect(await scan(args)).toEqual({
      code: 1,
      stdout: '',
      stderr: '3 sites, 1 failed, 1 duplicate skipped\nfailed: invalid_url 1\n',
    })
    const whole = readFileSync(join(cwd, 'out.csv'), 'utf8')
    expect(whole.trim().split('\n')).toHaveLength(4)
    sites.requests.length = 0
    expect(await scan(args)).toEqual({
      code: 0,
      stdout: '',
      stderr: '0 sites, 0 failed, 3 already done, 1 duplicate skipped\n',
    })
    expect({ again: readFileSync(join(cwd, 'out.csv'), 'utf8'), requests: sites.requests }).toEqual({
      again: whole,
      requests: [],
    })
  })

  test.each<[input: string, args: string[], found: string]>([
    ['', ['-'], 'standard input contains no URL: write one per line'],
    ['# none\n\n', ['/dev/stdin'], 'standard input contains no URL: write one per line'],
    ['name,domain\n', ['-', '--column', 'domain'], 'the column "domain" of standard input contains no site'],
    [
      'name,domain\n',
      ['-', '--column', 'url'],
      '--column: standard input has no column "url"; its columns are "name", "domain"',
    ],
    ['nonsense\n', ['-'], '1 site, 1 failed'],
    ['name,domain\nTide,nonsense\n', ['/dev/stdin', '--column', 'domain'], '1 site, 1 failed'],
  ])('standard input %j with --urls %j', async (input, args, found) => {
    const { stderr } = await project.run('scan', ['--urls', ...args], { cwd, input })
    expect(stderr.split('\n')[0]).toBe(found)
  })

  test.each<[name: string, content: string, found: string]>([
    [
      'one.csv',
      'site\nnonsense\n',
      'one.csv is a table: name the column that contains the sites with --column; its columns are "site"',
    ],
    [
      'two.tsv',
      'a\thttps://b.example/\n',
      'two.tsv is a table: name the column that contains the sites with --column; its columns are "a", "https://b.example/"',
    ],
    ['list.csv', 'http://127.0.5.1:9/?a,b\n', '1 site, 1 failed'],
    ['rows.txt', 'nonsense,x\n', '1 site, 1 failed'],
  ])('%s without --column', async (name, content, found) => {
    writeFileSync(join(cwd, name), content)
    const { stderr } = await scan(['--urls', name, '--allow', '127.0.0.1'])
    expect(stderr.split('\n')[0]).toBe(found)
    const advice = `If ${name} is a table, name the column that contains the sites with --column.\n`
    expect(stderr.includes(advice)).toBe(name === 'rows.txt')
  })

  test('the same site is scanned once, and failures are counted by code', async () => {
    // HTTPS on a port that speaks HTTP fails, but is not refused, so HTTP is not tried. Nothing listens on port 9.
    const bare = sites.address(5)
    const list = [`${bare}/a`, `https://${bare}/a#top`, 'http://127.0.5.1:9', 'nonsense', 'page html']
    writeFileSync(join(cwd, 'bare.txt'), list.join('\n'))
    sites.requests.length = 0
    const { code, stdout, stderr } = await scan(['--urls', 'bare.txt', ...ALLOW])
    const lines = parseLines(stdout).map(({ url, code: failure }) => [url, failure])
    expect(lines.sort()).toEqual([
      [list[0], 'scan_failed'],
      ['http://127.0.5.1:9', 'scan_failed'],
      ['nonsense', 'invalid_url'],
      ['page html', 'invalid_url'],
    ])
    const summary = '4 sites, 4 failed, 1 duplicate skipped\nfailed: invalid_url 2, scan_failed 2\n'
    expect({ code, stderr, requests: sites.requests }).toEqual({ code: 1, stderr: summary, requests: [] })
  })

  test('--column reads a CSV file; its other columns, chosen columns and technologies are written', async () => {
    const rows = [
      'Company;Domain;Category',
      `"Tide; Ltd";http://${address}/a;"x\ny"`,
      'None;;z',
      `Again;HTTP://${address}/a#top;z`,
      '=Dead;nonsense;',
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
      "nonsense,,,,,,invalid_url,MS,RULES,TIME,'=Dead,",
    ])
    await scan([...args, '--out', 'raw.csv', '--columns', 'code', '--raw-columns'])
    expect(readFileSync(join(cwd, 'raw.csv'), 'utf8')).toContain('\nnonsense,invalid_url,=Dead,\n')
    expect(readFileSync(join(cwd, 'technologies.csv'), 'utf8')).toBe(
      `url,slug,name,category,version,level\nhttp://${address}/a,wordpress,WordPress,cms,6.6.1,high\n`,
    )
    writeFileSync(join(cwd, 'table.csv'), 'name,domain\n')
    expect((await scan(['--urls', 'table.csv'])).stderr.split('\n')[0]).toBe(
      'table.csv is a table: name the column that contains the sites with --column; its columns are "name", "domain"',
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
      input: { Company: '=Dead', Category: '' },
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
      writeFileSync(join(cwd, `retry-${end}.txt`), `http://${address}/a\nhttp://${sites.address(2)}/b\nnonsense\n`)
      const args = ['--urls', `retry-${end}.txt`, '--out', out]
      // The first run must not connect to the address, so both sites fail.
      expect(await scan(args)).toMatchObject({
        stderr: expect.stringContaining('3 sites, 3 failed\nfailed: blocked_target 2, invalid_url 1\n'),
      })
      const protectedOutcome = await scan([...args, ...ALLOW])
      expect(protectedOutcome).toMatchObject({
        code: 2,
        stderr: expect.stringContaining('continue it with --resume or'),
      })
      const second = await scan([...args, ...ALLOW, '--retry-failed'])
      expect(second).toMatchObject({ code: 1, stderr: '3 sites, 1 failed\nfailed: invalid_url 1\n' })
      const whole = readFileSync(join(cwd, out), 'utf8').trim().split('\n')
      sites.requests.length = 0
      const third = await scan([...args, ...ALLOW, '--retry-failed'])
      expect(third).toMatchObject({ code: 1, stderr: '1 site, 1 failed, 2 already done\nfailed: invalid_url 1\n' })
      const again = readFileSync(join(cwd, out), 'utf8').trim().split('\n')
      const sortLines = (lines: string[]): string[] =>
        lines.map((line) => line.replace(/^(nonsense,.*?)\d{4}-[^,]*,/, '$1,')).sort() // The time of the scan differs.
      expect({ lines: sortLines(again), requests: sites.requests }).toEqual({ lines: sortLines(whole), requests: [] })
      expect(readdirSync(cwd)).not.toContain(`${out}.part`)
    },
  )
})
