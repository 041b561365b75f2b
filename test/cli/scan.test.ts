import { linkSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { type BuiltProject, copyProject, type Outcome, smallProject } from '../support/built-project.ts'
import { writeFolder } from '../support/rule-folder.ts'

const FIELDS = 'url builder builderSlug confidence category isAiNative technologies hosting siteType cached'.split(' ')
const WORDPRESS = '<!doctype html><meta name="generator" content="WordPress 6.6.1"><p>One page of a blog</p>'

const harEntry = (pageref: string): object => ({
  pageref,
  request: { url: `https://acme.com/${pageref}` },
  response: { status: 200, content: { mimeType: 'text/html', text: WORDPRESS } },
})

const warcRecord = (recordId: string, body: string): string => {
  const http = `HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n${body}`
  const head = `WARC-Type: response\r\nWARC-Target-URI: https://acme.com/\r\nWARC-Date: 2026-11-20T10:00:00Z\r\n`
  const lines = `${head}WARC-Record-ID: <urn:uuid:${recordId}>\r\nContent-Type: application/http; msgtype=response\r\n`
  return `WARC/1.1\r\n${lines}Content-Length: ${Buffer.byteLength(http)}\r\n\r\n${http}\r\n\r\n`
}

let project: BuiltProject
let cwd: string
beforeAll(() => {
  project = smallProject()
  cwd = writeFolder({
    'page.html': WORDPRESS,
    'empty.html': '',
    'rows.csv': WORDPRESS,
    'pages.har': JSON.stringify({ log: { entries: ['p1', 'p2'].map(harEntry) } }),
    'pages.jsonl': `${JSON.stringify({ id: 'a', url: 'https://a.example/', status: 404, html: WORDPRESS })}\n{}\n`,
    'bytes.html': '<meta charset="windows-1252"><meta name="generator" content="WordPress é">',
    'headers.json': JSON.stringify({
      Link: '<https://api.w.org/>; rel="https://api.w.org/"',
      'content-type': 'text/html; charset=UTF-8',
    }),
    'broken.json': '{ "server": ',
    'number.json': '{ "age": 1 }',
    'null.json': 'null',
    'triples.json': '[["a", "b", "c"]]',
    'pages.warc': warcRecord('1', WORDPRESS) + warcRecord('2', '<p>'),
  })
  mkdirSync(join(cwd, 'folder'))
  symlinkSync('page.html', join(cwd, 'link.html'))
  linkSync(join(cwd, 'page.html'), join(cwd, 'hard.html'))
  linkSync(join(cwd, 'rows.csv'), join(cwd, 'hard.csv'))
  symlinkSync('rows.csv', join(cwd, 'soft.csv'))
})

const scan = (...args: string[]): Promise<Outcome> => project.run('scan', args, { cwd })

describe('one page', () => {
  test('results in exactly the ten fields, in order', async () => {
    const { code, stdout, stderr } = await scan('--html', 'page.html')
    const result = JSON.parse(stdout)
    expect({ code, stderr, fields: Object.keys(result) }).toEqual({ code: 0, stderr: '', fields: FIELDS })
    expect(result).toMatchObject({ url: null, builderSlug: 'wordpress', confidence: 'high', cached: false })
    expect(stdout.endsWith('}\n')).toBe(true)
  })

  test('that is empty results in the same fields', async () => {
    const { stdout } = await scan('--html', 'empty.html')
    expect(Object.keys(JSON.parse(stdout))).toEqual(FIELDS)
  })

  test.each([
    ['warnings, evidence,versions', ['evidence', 'versions', 'warnings']],
    ['details,versions', ['versions', 'details']],
    ['', []],
  ])('--include %j appends fields', async (include, extras) => {
    const { code, stdout } = await scan('--html', 'page.html', '--include', include)
    const result = JSON.parse(stdout)
    expect({ code, fields: Object.keys(result) }).toEqual({ code: 0, fields: [...FIELDS, ...extras] })
    if (extras.includes('versions')) expect(result.versions.WordPress).toBe('6.6.1')
    if (extras.includes('details')) expect(result.details[0]).toMatchObject({ slug: 'wordpress', version: '6.6.1' })
    if (extras.includes('evidence')) expect(result.evidence[0]).toMatchObject({ slug: 'wordpress', points: 6 })
  })

  test.each([
    ['a version whose support has ended', ['--html', 'page.html'], 1, '1 page with versions whose support has ended\n'],
    ['a page without one', ['--html', 'empty.html'], 0, ''],
    [
      'a file of pages',
      ['--warc', 'pages.warc', '--out', 'ended.jsonl', '--overwrite'],
      1,
      '1 page with versions whose support has ended\n',
    ],
    [
      'pages of a HAR file',
      ['--har', 'pages.har', '--out', 'ended.csv', '--overwrite'],
      1,
      '2 pages with versions whose support has ended\n',
    ],
  ])('--fail-on ended: %s', async (_, args, wanted, sentence) => {
    const { code, stderr } = await scan(...args, '--fail-on', 'ended')
    expect({ code, isSaid: stderr.includes(sentence) }).toEqual({ code: wanted, isSaid: true })
    expect((await scan(...args)).code).toBe(0)
  })

  test('--format cyclonedx prints a document', async () => {
    const { code, stdout } = await scan('--html', 'page.html', '--format', 'cyclonedx')
    const { bomFormat, components } = JSON.parse(stdout)
    expect({ code, bomFormat }).toEqual({ code: 0, bomFormat: 'CycloneDX' })
    expect(components[0]).toMatchObject({ name: 'WordPress', version: '6.6.1' })
  })

  test.each([
    [['--format', 'xml'], '--format does not accept "xml"'],
    [['--format', 'cyclonedx', '--out', 'x.jsonl'], '--format prints one document'],
    [['--format', 'cyclonedx', '--include', 'details'], '--format prints one document'],
  ])('%j is wrong usage', async (args, sentence) => {
    const { code, stderr } = await scan('--html', 'page.html', ...args)
    expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining(sentence) })
  })

  test('--fail-on accepts nothing else', async () => {
    const { code, stderr } = await scan('--html', 'page.html', '--fail-on', 'old')
    expect({ code, stderr }).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--fail-on does not accept "old"'),
    })
  })

  // saved-page.test.ts tests the forms of a file of headers, and how they decide about the charset.
  test('its address and its headers are used', async () => {
    const args = ['--html', 'bytes.html', '--url', 'https://acme.com/x#y', '--headers', 'headers.json']
    const { code, stdout } = await scan(...args, '--include', 'evidence')
    const { url, builder, evidence } = JSON.parse(stdout)
    expect({ code, url, builder }).toEqual({ code: 0, url: 'https://acme.com/x', builder: 'WordPress' })
    const { clauses } = evidence.find(({ slug }: { slug: string }) => slug === 'wordpress')
    expect(clauses.map(({ texts }: { texts: string[] }) => texts)).toEqual([
      ['WordPress é'],
      ['<https://api.w.org/>; rel="https://api.w.org/"'],
    ])
  })
})

describe('saved pages as CSV with a table of technologies', () => {
  const found = 'wordpress,WordPress,cms,6.6.1,high'
  test.each<[input: string[], columns: string, rows: string[], table: string[], code: number]>([
    [['--html', 'page.html'], 'id,url,builder', ['page.html,,WordPress'], [`page.html,,${found}`], 0],
    [
      ['--har', 'pages.har'],
      'status,id',
      ['200,https://acme.com/p1', '200,https://acme.com/p2'],
      ['p1', 'p2'].map((id) => `https://acme.com/${id},https://acme.com/${id},${found}`),
      0,
    ],
    [
      ['--batch', 'pages.jsonl'],
      'url,status,versions,code',
      ['a,https://a.example/,404,WordPress 6.6.1,', 'line 2,,,,invalid_request'],
      [`a,https://a.example/,${found}`],
      1,
    ],
    [
      ['--warc', 'pages.warc'],
      'date,recordId,builder',
      ['1', '2'].map((id) => `https://acme.com/,2026-11-20T10:00:00Z,urn:uuid:${id},${id === '1' ? 'WordPress' : ''}`),
      [`https://acme.com/,urn:uuid:1,https://acme.com/,${found}`],
      0,
    ],
  ])('%j', async (input, columns, rows, table, expected) => {
    const files = ['--out', 'saved.csv', '--technologies-out', 'saved-technologies.csv']
    const args = [...files, '--columns', columns, '--overwrite']
    const { code, stdout, stderr } = await scan(...input, ...args)
    expect({ code, stdout, counted: /^\d+ pages?, \d+ failed\n$/.test(stderr) }).toEqual({
      code: expected,
      stdout: '',
      counted: true,
    })
    const read = (file: string): string[] => readFileSync(join(cwd, file), 'utf8').trimEnd().split('\n')
    const keys = input[0] === '--warc' ? 'id,recordId,url' : 'id,url'
    expect(read('saved.csv')).toEqual([
      columns.includes('id,') || columns.endsWith(',id') ? columns : `id,${columns}`,
      ...rows,
    ])
    expect(read('saved-technologies.csv')).toEqual([`${keys},slug,name,category,version,level`, ...table])
  })

  test('WARC lines have date and recordId; the first page of a HAR file is printed', async () => {
    const lines = (await scan('--warc', 'pages.warc', '--technologies-out', 'saved-technologies.jsonl')).stdout.split(
      '\n',
    )
    expect(Object.entries(JSON.parse(lines[0])).slice(0, 3)).toEqual([
      ['id', 'https://acme.com/'],
      ['date', '2026-11-20T10:00:00Z'],
      ['recordId', 'urn:uuid:1'],
    ])
    const row = readFileSync(join(cwd, 'saved-technologies.jsonl'), 'utf8').split('\n')[0]
    expect(Object.keys(JSON.parse(row))).toEqual('id recordId url slug name category version level'.split(' '))
    const { stdout, stderr } = await scan('--har', 'pages.har')
    expect(JSON.parse(stdout).url).toBe('https://acme.com/p1')
    expect(stderr).toBe('The file contains 2 pages; this is the first one. To scan all of them, use --out.\n')
  })
})

describe('wrong usage is reported in a sentence', () => {
  test.each([
    [[], 'give a URL, or one of --urls, --html, --har, --batch, --warc'],
    [['--html', 'page.html', '--batch', 'x'], '--html cannot be combined with --batch: use one of them'],
    [['page.html'], 'To scan a saved page, use --html'],
    [['--urls', 'page.html', '--overwrite'], '--overwrite replaces an output file: name it with --out'],
    [
      ['--urls', 'page.html', '--out', 'x.csv', '--overwrite', '--resume'],
      '--resume and --overwrite cannot be combined: choose one',
    ],
    [['--urls', 'page.html', '--retry-failed'], '--retry-failed continues an output file: name it with --out'],
    [['a.com', 'b.com', '--column', 'x'], '--column names a column of a CSV file: name the file with --urls'],
    [['--urls', 'page.html', '--column', 'x'], 'page.html is not valid CSV: Invalid Opening Quote'],
    [['--html', 'page.html', '--column', 'x'], '--column cannot be used with --html'],
    [
      ['--urls', 'a.csv', '--raw-columns', '--out', 'o.csv'],
      '--raw-columns is for CSV with the columns of a list: use --column, and a name for --out that ends in .csv',
    ],
    [
      ['--urls', 'a.csv', '--column', 'x', '--raw-columns', '--out', 'o.jsonl'],
      '--raw-columns is for CSV with the columns of a list: use --column, and a name for --out that ends in .csv',
    ],
    [
      ['--urls', 'page.html', '--out', 'x.csv', '--columns', 'url,statu'],
      '--columns: there is no column "statu" (did you mean "status"?); use url, finalUrl, status, title, builder,',
    ],
    [
      ['--urls', 'page.html', '--out', 'x.csv', '--columns', 'builder', '--retry-failed'],
      '--retry-failed needs the column code: add it to --columns',
    ],
    [['--urls', 'page.html', '--retry-walls'], '--retry-walls continues an output file: name it with --out'],
    [
      ['--urls', 'page.html', '--out', 'x.csv', '--retry-walls'],
      '--retry-walls needs the column pageState: add it to --columns',
    ],
    [['--batch', 'page.html', '--out', 'x.csv', '--columns', 'date'], 'there is no column "date"; use id, url, status'],
    [['--warc', 'page.html', '--out', 'x.csv', '--columns', 'ip'], 'there is no column "ip"'],
    [['--warc', 'page.html', '--out', 'x.csv', '--columns', 'code,code'], '--columns names "code" twice: name it once'],
    [['--warc', 'page.html', '--out', 'x.jsonl', '--columns', 'code'], '--columns selects the columns of CSV'],
    [['--warc', 'page.html', '--columns', 'code'], '--columns selects the columns of CSV'],
    [['--warc', 'page.html', '--out', 'x.csv', '--include', 'versions'], '--include cannot be used with CSV'],
    [
      ['--warc', 'page.html', '--technologies-out', 'x.txt'],
      '--technologies-out "x.txt": its ending selects the format',
    ],
    [
      ['--warc', 'page.html', '--technologies-out', 'x.csv', '--out', './x.csv'],
      '--technologies-out and --out must be different files',
    ],
    [['--html', 'page.html', '--technologies-out', 'folder'], '--technologies-out: "folder" is a folder'],
    [
      ['--html', 'page.html', '--technologies-out', 'none/x.csv'],
      '--technologies-out: there is no folder "none": create it first',
    ],
    [
      ['--html', 'page.html', '--out', 'hard.csv', '--technologies-out', 'soft.csv'],
      '--technologies-out and --out must be different files',
    ],
    [
      ['--html', 'rows.csv', '--technologies-out', 'hard.csv'],
      '--technologies-out would overwrite the file that --html',
    ],
    [['--html'], "Option '--html <value>' argument missing"],
    [['--htm', 'page.html'], "Unknown option '--htm'"],
    [['--html', 'none.html'], '--html: there is no file "none.html"'],
    [['--html', 'folder'], '--html: "folder" is a folder, not a file'],
    [['--har', 'folder'], '--har: "folder" is a folder'],
    [['--warc', 'folder'], '--warc: "folder" is a folder'],
    [['--urls', 'folder'], '--urls: "folder" is a folder'],
    [['--html', 'page.html/x'], '--html: "page.html/x" cannot be read: ENOTDIR: not a directory'],
    [['--html', 'page.html', '--html', 'empty.html'], '--html is given twice: give it once'],
    [['http://localhost/', '--allow', '127.0.0.1', '--allow', 'x'], '--allow must be address[/bits][:port]'],
    [['--batch', 'page.html', '--out', 'x.jsonl.gz'], '--out is not compressed: its name must not end in .gz'],
    [['--html', 'page.html', '--out', 'x'], '--out "x": its ending selects the format'],
    [['--html', 'page.html', '--url', 'acme.com'], '--url must be an absolute http or https URL, not "acme.com"'],
    [['--html', 'page.html', '--url', 'ftp://acme.com/'], '--url must be an absolute http or https URL'],
    [
      ['--html', 'page.html', '--include', 'versions,proof'],
      '--include does not accept "proof": use one of evidence, versions, warnings',
    ],
    [['--html', 'page.html', '--headers', 'none.json'], '--headers: there is no file "none.json"'],
    [['--html', 'page.html', '--headers', 'broken.json'], 'broken.json is not valid JSON'],
    [
      ['--html', 'page.html', '--headers', 'number.json'],
      'number.json must contain {name: value} or [[name, value], …]',
    ],
    [['--html', 'page.html', '--headers', 'null.json'], 'null.json must contain'],
    [['--html', 'page.html', '--headers', 'triples.json'], 'triples.json must contain'],
    [['--batch', 'none.jsonl'], '--batch: there is no file "none.jsonl"'],
    [['--batch', 'page.html', '--url', 'https://acme.com/'], '--url cannot be used with --batch'],
    [['--batch', 'page.html', '--headers', 'headers.json'], '--headers cannot be used with --batch'],
    [['--batch', 'page.html', '--out', './page.html'], '--out would overwrite the file that --batch reads'],
    [['--batch', 'page.html', '--out', 'link.html'], '--out would overwrite the file that --batch reads'],
    [['--batch', 'link.html', '--out', 'page.html'], '--out would overwrite the file that --batch reads'],
    [['--warc', 'page.html', '--out', 'hard.html'], '--out would overwrite the file that --warc reads'],
    [['--urls', 'link.html', '--out', 'hard.html'], '--out would overwrite the file that --urls reads'],
    [['--batch', 'page.html', '--out', 'folder'], '--out: "folder" is a folder'],
    [['--batch', 'page.html', '--out', 'none/x.jsonl'], '--out: there is no folder "none": create it first'],
    [
      ['--batch', 'page.html', '--out', 'x.json'],
      '--out "x.json": its ending selects the format; use .jsonl or .ndjson or .csv',
    ],
    [['--urls', 'page.html', '--out', 'x'], '--out "x": its ending selects the format; use .jsonl or .ndjson or .csv'],
  ])('%j', async (args, sentence) => {
    const { code, stdout, stderr } = await scan(...args)
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toContain(sentence)
    expect(stderr).not.toMatch(/^ +at /m)
  })

  test('a rule folder that does not exist', async () => {
    const { code, stdout, stderr } = await project.run('scan', ['--html', 'page.html'], {
      cwd,
      env: { RULES_DIRS: 'none, folder' },
    })
    expect({ code, stdout, stderr }).toEqual({
      code: 2,
      stdout: '',
      stderr: `RULES_DIRS: the folder does not exist: ${join(cwd, 'none')}\n`,
    })
  })

  test('a damaged built file without rules to build it again', async () => {
    const copy = copyProject(project)
    const file = join(copy.folder, 'dist', 'ruleset.bin')
    writeFileSync(file, '{ "rules": ')
    rmSync(join(copy.folder, 'rules'), { recursive: true })
    const { code, stdout, stderr } = await copy.run('scan', ['--html', join(cwd, 'page.html')])
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toMatch(
      /ruleset\.bin: the file is not a compiled ruleset, or it is cut; run `npm run -s build` in a checkout, or install Siteprint again\n$/,
    )
  })
})

test('--help', async () => {
  const { code, stdout, stderr } = await scan('--html', 'none.html', '--help')
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  for (const text of [
    '--html',
    '--url',
    '--headers',
    '--include',
    '--batch',
    '--out',
    '--column NAME',
    '--columns LIST',
    'scannedAt* (end of the scan, UTC)',
    '--technologies-out FILE',
    'RULES_DIRS',
    'DETECTORS',
    'Exit code',
  ])
    expect(stdout).toContain(text)
})
