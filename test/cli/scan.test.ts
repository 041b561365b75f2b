import { linkSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { type BuiltProject, copyProject, type Outcome, smallProject } from '../support/built-project.ts'
import { ownRules, TEST, technology, writeFolder } from '../support/rule-folder.ts'

const FIELDS = 'url builder builderSlug confidence category isAiNative technologies hosting siteType cached'.split(' ')
const WORDPRESS = '<!doctype html><meta name="generator" content="WordPress 6.6.1"><p>One page of a blog</p>'

let project: BuiltProject
let cwd: string
beforeAll(() => {
  project = smallProject()
  cwd = writeFolder({
    'page.html': WORDPRESS,
    'empty.html': '',
    'object.json': '{ "Server": "Vercel", "set-cookie": ["a=1", "b=2"] }',
    'pairs.json': '[["Server", "Vercel"], ["set-cookie", "a=1"]]',
    'marked.json': '\ufeff{ "server": "Vercel" }',
    'broken.json': '{ "server": ',
    'number.json': '{ "age": 1 }',
    'null.json': 'null',
    'triples.json': '[["a", "b", "c"]]',
    ...ownRules('known', 'hosting/vercel'),
    'rules/technologies/analytics/acme.yaml': technology('title: acme'),
    'rules/technologies/analytics/acme.test.yaml': TEST,
  })
  mkdirSync(join(cwd, 'folder'))
  symlinkSync('page.html', join(cwd, 'link.html'))
  linkSync(join(cwd, 'page.html'), join(cwd, 'hard.html'))
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
    ['versions', ['versions']],
    ['warnings,evidence', ['evidence', 'warnings']],
    ['evidence, versions, warnings', ['evidence', 'versions', 'warnings']],
    ['', []],
  ])('--include %j appends fields', async (include, extras) => {
    const { code, stdout } = await scan('--html', 'page.html', '--include', include)
    const result = JSON.parse(stdout)
    expect({ code, fields: Object.keys(result) }).toEqual({ code: 0, fields: [...FIELDS, ...extras] })
    if (extras.includes('versions')) expect(result.versions.WordPress).toBe('6.6.1')
    if (extras.includes('evidence')) expect(result.evidence[0]).toMatchObject({ slug: 'wordpress', points: 6 })
  })

  test.each([
    [['--url', 'https://acme.vercel.app/x#y'], { url: 'https://acme.vercel.app/x', hosting: 'Vercel' }],
    [['--headers', 'object.json'], { url: null, hosting: 'Vercel' }],
    [['--headers', 'pairs.json'], { url: null, hosting: 'Vercel' }],
    [['--headers', 'marked.json'], { url: null, hosting: 'Vercel' }],
  ])('%j is used', async (args, expected) => {
    const options = { cwd, env: { RULES_DIRS: 'known' } }
    const { code, stdout } = await project.run('scan', ['--html', 'page.html', ...args], options)
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject(expected)
  })

  test('bytes are decoded by the charset of the headers', async () => {
    writeFileSync(join(cwd, 'bytes.html'), '<meta charset="windows-1252"><title>acme é</title>')
    writeFileSync(join(cwd, 'type.json'), '{ "content-type": "text/html; charset=UTF-8" }')
    const args = ['--html', 'bytes.html', '--headers', 'type.json', '--include', 'evidence']
    const { stdout } = await project.run('scan', args, { cwd, env: { RULES_DIRS: 'rules' } })
    const acme = JSON.parse(stdout).evidence.find(({ slug }: { slug: string }) => slug === 'acme')
    expect(acme?.clauses[0].texts).toEqual(['acme é'])
  })
})

describe('wrong usage is reported in a sentence', () => {
  test.each([
    [[], 'give a URL, or one of --urls, --html, --har, --batch, --warc'],
    [['--html', 'page.html', '--batch', 'x'], '--html cannot be combined with --batch: use one of them'],
    [['page.html'], 'To scan a saved page, use --html'],
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
    [['--html', 'page.html', '--out', 'x'], '--out cannot be used with --html'],
    [['--html', 'page.html', '--url', 'acme.com'], '--url must be an absolute http or https URL, not "acme.com"'],
    [['--html', 'page.html', '--url', 'ftp://acme.com/'], '--url must be an absolute http or https URL'],
    [
      ['--html', 'page.html', '--include', 'versions,proof'],
      '--include does not accept "proof": use one or more of evidence, versions, warnings',
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
    [['--batch', 'page.html', '--headers', 'pairs.json'], '--headers cannot be used with --batch'],
    [['--batch', 'page.html', '--out', './page.html'], '--out would overwrite the file that --batch reads'],
    [['--batch', 'page.html', '--out', 'link.html'], '--out would overwrite the file that --batch reads'],
    [['--batch', 'link.html', '--out', 'page.html'], '--out would overwrite the file that --batch reads'],
    [['--warc', 'page.html', '--out', 'hard.html'], '--out would overwrite the file that --warc reads'],
    [['--urls', 'link.html', '--out', 'hard.html'], '--out would overwrite the file that --urls reads'],
    [['--batch', 'page.html', '--out', 'folder'], '--out: "folder" is a folder'],
    [['--batch', 'page.html', '--out', 'none/x'], "no such file or directory, open 'none/x'"],
  ])('%j', async (args, sentence) => {
    const { code, stdout, stderr } = await scan(...args)
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toContain(sentence)
    expect(stderr).not.toMatch(/^ +at /m)
  })

  test('a rule folder that does not exist, in a process', async () => {
    const { code, stdout, stderr } = await project.spawn('scan', ['--html', 'page.html'], {
      cwd,
      env: { RULES_DIRS: 'none, rules' },
    })
    expect({ code, stdout, stderr }).toEqual({
      code: 2,
      stdout: '',
      stderr: `RULES_DIRS: the folder does not exist: ${join(cwd, 'none')}\n`,
    })
  })

  test('a damaged built file', async () => {
    const copy = copyProject(project)
    const file = join(copy.folder, 'dist', 'ruleset.json')
    writeFileSync(file, '{ "rules": ')
    const { code, stdout, stderr } = await copy.run('scan', ['--html', join(cwd, 'page.html')])
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toMatch(
      /ruleset\.json: the file is not valid JSON: .*; rebuild the file with `npm run -s rules -- build`\n$/,
    )
  })
})

test('--help, in a process', async () => {
  const { code, stdout, stderr } = await project.spawn('scan', ['--html', 'none.html', '--help'], { cwd })
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  for (const text of [
    '--html',
    '--url',
    '--headers',
    '--include',
    '--batch',
    '--out',
    'RULES_DIRS',
    'DETECTORS',
    'Exit code',
  ])
    expect(stdout).toContain(text)
})
