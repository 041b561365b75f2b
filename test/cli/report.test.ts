import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { beforeAll, describe, expect, test } from 'vitest'
import { buildHostileLines } from '../report/hostile-lines.ts'
import { type BuiltProject, type Outcome, smallProject } from '../support/built-project.ts'
import { documentExample } from '../support/document-examples.ts'
import { writeFolder } from '../support/rule-folder.ts'

const RESULT = {
  url: 'https://a.example/',
  builder: 'WordPress',
  confidence: 'high',
  isAiNative: false,
  technologies: ['WordPress'],
  hosting: null,
  siteType: null,
}
const ok = (url: string, change = {}): string => `${JSON.stringify({ url, result: { ...RESULT, url, ...change } })}\n`
const failed = (url: string, code = 'scan_failed'): string => `${JSON.stringify({ url, error: 'No.', code })}\n`

let project: BuiltProject
let cwd: string
beforeAll(() => {
  project = smallProject()
  cwd = writeFolder({
    'one.jsonl': ok('https://a.example/'),
    'all.jsonl': ok('https://a.example/') + failed('https://b.example/') + failed('https://c.example/', 'scan_timeout'),
    'later.jsonl': failed('a.example') + ok('https://b.example/'),
    'cut.jsonl': `${ok('https://a.example/')}{"url": "https://b.exa`,
    'whole.jsonl': ok('https://a.example/').trimEnd(),
    'odd.jsonl': `${ok('https://a.example/')}\n{"id": "a", "html": "<p>"}\n[]\n${ok('https://b.example/')}`,
    'numbers.jsonl': '{"line": 1, "error": "No.", "code": "invalid_request"}\n',
    'pages.jsonl': '{"id": "a", "html": "<p>"}\n',
    'technologies.csv': 'url,slug,name,category,version,level\n',
    'empty.csv': 'url,finalUrl,status,builder,technologies,error,code\n',
    'broken.csv': 'url,builder,code\na.example,WordPress,\nb.example\nc.example,"Wor',
    'empty.jsonl': '',
    'binary.jsonl.gz': '\0\x01PK',
    'walls.jsonl':
      ok('https://a.example/', { page: { state: 'site', by: null, status: 200 } }) +
      ok('https://b.example/', { builder: null, page: { state: 'wall', by: 'Cloudflare', status: 403 } }) +
      ok('https://c.example/', { builder: null, page: { state: 'wall', by: null, status: 403 } }),
    'walls.csv':
      'url,finalUrl,builder,technologies,pageState,error,code\na.example,https://a.example/,WordPress,,site,,\nb.example,https://b.example/,,,wall,,\nc.example,https://c.example/,,,wall,,\n',
    'network.jsonl': ok('https://a.example/', {
      hosting: 'Harbour',
      infrastructure: {
        network: { asn: 64496, name: 'Harbour <b>' },
        reverseDns: 'a.harbour.example',
        tlsError: 'expired',
      },
    }),
    'rules-a.jsonl': ok('https://a.example/', { meta: { ruleset: 'a' } }),
    'rules-b.jsonl': ok('https://a.example/', { meta: { ruleset: 'b' } }),
  })
  const packed = gzipSync(readFileSync(join(cwd, 'all.jsonl')))
  writeFileSync(join(cwd, 'all.jsonl.gz'), packed)
  // Several members: what appending to a compressed file results in.
  writeFileSync(join(cwd, 'two.jsonl.gz'), Buffer.concat([packed, gzipSync(ok('https://d.example/'))]))
  writeFileSync(
    join(cwd, 'cut.jsonl.gz'),
    gzipSync(Array.from({ length: 500 }, (_, i) => ok(`https://${Math.sin(i)}.example/`)).join('')).subarray(0, -900),
  )
  mkdirSync(join(cwd, 'folder'))
  symlinkSync('one.jsonl', join(cwd, 'link.html'))
})

test.each(['walls.jsonl', 'walls.csv'])('what is not the site is counted apart from builders: %s', async (file) => {
  const { code, stdout } = await report(file)
  expect(code).toBe(0)
  expect(stdout).toContain('3 sites, 3 with a result, 0 failed; of 2 something else than the site came back\n')
  expect(stdout).toMatch(/Builders, share of 1 site whose own page came back\nBuilder +Sites +Share\nWordPress +1 +100/)
  expect(stdout).toMatch(
    /What came back, share of 3 sites with a result\nAnswer +Sites +Share\nwall +2 +66.*\nThe site +1 +33/,
  )
})

const report = (...args: string[]): Promise<Outcome> => project.run('report', args, { cwd })

describe('wrong usage is reported in a sentence', () => {
  test.each([
    [[], 'name the results: the JSON Lines or CSV that "scan --out" writes'],
    [['none.jsonl'], 'results: there is no file "none.jsonl"'],
    [['folder'], 'results: "folder" is a folder, not a file'],
    [['one.jsonl', '--compare', 'none.jsonl'], '--compare: there is no file "none.jsonl"'],
    [['one.jsonl', '--compare', 'one.jsonl', '--compare', 'all.jsonl'], '--compare is given twice'],
    [['one.jsonl', '--out', 'report.pdf'], '--out "report.pdf": the report is HTML; use a name that ends in .html'],
    [['one.jsonl', '--out', 'none/report.html'], '--out: there is no folder "none": create it first'],
    [['one.jsonl', '--out', 'folder'], '--out: "folder" is a folder, not a file'],
    [['one.jsonl', '--out', 'link.html'], '--out would overwrite the results "one.jsonl"'],
    [
      ['all.jsonl', '--compare', 'one.jsonl', '--out', 'link.html'],
      '--out would overwrite the file that --compare reads',
    ],
    [['one.jsonl', '--rows', '0'], '--rows must be a whole number from 1 to 20,000, not "0"'],
    [['one.jsonl', '--rows', '20001'], '--rows must be'],
    [['one.jsonl', '--row', '5'], "Unknown option '--row'"],
    [['empty.jsonl'], 'empty.jsonl contains no scan results (it has no complete line): give the JSON Lines'],
    [
      ['pages.jsonl'],
      'pages.jsonl contains no scan results (pages.jsonl:1: the line has neither a result nor an error)',
    ],
    [['technologies.csv'], 'technologies.csv does not have the columns that "scan --out" writes'],
    [['empty.csv'], 'empty.csv contains no scan results (it has no complete line): give the JSON Lines or the CSV'],
    [['one.jsonl', '--compare', 'empty.jsonl'], 'empty.jsonl contains no scan results'],
    [['binary.jsonl.gz'], 'contains no scan results (the file contains bytes that are not gzip data)'],
    [['one.jsonl', 'pages.jsonl'], 'pages.jsonl contains no scan results'],
  ])('%j', async (args, sentence) => {
    const { code, stdout, stderr } = await report(...args)
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toContain(sentence)
  })
})

describe('results', () => {
  const [repeated, cut] = [
    'replaced by a later one about the same site',
    'the last line is cut off, as after an interrupted scan',
  ]
  test.each<[args: string[], head: string, note: string, code: number]>([
    [['all.jsonl'], '3 sites, 1 with a result, 2 failed', '', 0],
    [['all.jsonl.gz'], '3 sites, 1 with a result, 2 failed', '', 0],
    [['two.jsonl.gz'], '4 sites, 2 with a result, 2 failed', '', 0],
    [['one.jsonl', 'all.jsonl'], '3 sites, 1 with a result, 2 failed', `one.jsonl, all.jsonl: 1 line ${repeated}`, 0],
    [['all.jsonl', 'later.jsonl'], '3 sites, 1 with a result, 2 failed', `2 lines ${repeated}`, 0],
    [['whole.jsonl'], '1 site, 1 with a result, 0 failed', '', 0],
    [['cut.jsonl'], '1 site, 1 with a result, 0 failed', `cut.jsonl:2: ${cut}`, 0],
    [['cut.jsonl.gz'], ' with a result, 0 failed', 'cut.jsonl.gz: the gzip data is truncated, as after', 0],
    [
      ['odd.jsonl'],
      '2 sites, 2 with a result, 0 failed',
      'odd.jsonl:3: the line has neither a result nor an error; 2 lines skipped.',
      1,
    ],
    [
      ['broken.csv'],
      '1 site, 1 with a result, 0 failed',
      'broken.csv:3: the row does not have the cells of the header; 1 line skipped.',
      1,
    ],
    [['one.jsonl', '--compare', 'odd.jsonl'], '1 site, 1 with a result, 0 failed', 'odd.jsonl:3: ', 1],
    [['numbers.jsonl', 'numbers.jsonl'], '2 sites, 0 with a result, 2 failed', '', 0],
    [['rules-b.jsonl', '--compare', 'rules-a.jsonl'], '1 site', 'different versions of the rules', 0],
    [['rules-b.jsonl', '--compare', 'rules-b.jsonl'], '1 site', '', 0],
  ])('%j', async (args, head, note, code) => {
    const outcome = await report(...args)
    expect(outcome.stdout.split('\n')[0]).toContain(head)
    if (note === '') expect(outcome.stderr).toBe('')
    else expect(outcome.stderr).toContain(note)
    expect(outcome.code).toBe(code)
  })

  test('are the same site with and without https', async () => {
    const { stdout } = await report('later.jsonl', '--compare', 'all.jsonl')
    expect(stdout).toContain(
      'a.example\n  Fails: scan_failed\nhttps://b.example/\n  Works again (was scan_failed)\nhttps://c.example/\n  No longer in the results\n',
    )
  })

  test('of numbered lines are compared with nothing', async () => {
    const { stdout } = await report('numbers.jsonl', '--compare', 'numbers.jsonl')
    expect(stdout).toContain('New in the results        1\nNo longer in the results  1\nUnchanged                 0\n')
  })
})

test('--help', async () => {
  const { code, stdout } = await report('--help')
  expect(code).toBe(0)
  for (const option of ['--compare', '--out', '--rows']) expect(stdout).toContain(option)
})

test('the numbers of the example are those of the document', async () => {
  const args = ['examples/results.jsonl', '--compare', 'examples/earlier-results.jsonl']
  const { code, stdout, stderr } = await project.run('report', args)
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  const documented = documentExample('report').split('…\n')
  expect(documented).toHaveLength(3)
  for (const part of documented) expect(stdout).toContain(part)
})

test('numbers have separators', async () => {
  writeFileSync(
    join(cwd, 'thousand.jsonl'),
    Array.from({ length: 1200 }, (_, i) => ok(`https://${i}.example/`)).join(''),
  )
  const { stdout } = await report('thousand.jsonl')
  expect(stdout).toContain('1,200 sites, 1,200 with a result, 0 failed\n')
  expect(stdout).toMatch(/^WordPress +1,200 +100\.0%$/m)
})

test('hostile results are reported, and the text has no control characters', async () => {
  writeFileSync(join(cwd, 'hostile.jsonl'), `${buildHostileLines().join('\n')}\n`)
  const { code, stdout, stderr } = await report('hostile.jsonl', '--compare', 'hostile.jsonl')
  expect(code).toBe(1)
  expect(stderr).toContain('lines skipped')
  expect(stdout).toContain('sites, ')
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these must not reach a terminal
  expect(stdout).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/)
})

test('the table of sites has the network, the name of the address and an invalid certificate below the hosting', async () => {
  const { code } = await report('network.jsonl', '--out', 'network.html')
  expect(code).toBe(0)
  expect(readFileSync(join(cwd, 'network.html'), 'utf8')).toContain(
    '<td data-sort="Harbour">Harbour<div class="quiet">Harbour &lt;b> (AS64496)</div><div class="quiet">a.harbour.example</div><div class="quiet">Invalid certificate: it has expired</div></td>',
  )
})
