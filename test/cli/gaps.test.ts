import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { type BuiltProject, type Outcome, smallProject } from '../support/built-project.ts'
import { builder, TEST, writeFolder } from '../support/rule-folder.ts'

const line = (id: string, head: string, url = `https://${id}.com/`): string =>
  JSON.stringify({ id, url, status: 200, headers: [], html: `<head>${head}</head><p>${id}</p>` })
const generator = (name: string): string => `<meta name="generator" content="${name} 2.1">`
const result = (url: string, name: string | null): string =>
  JSON.stringify({ url, result: { url, builder: name, hosting: null, technologies: [] } })

let project: BuiltProject
let cwd: string
beforeAll(() => {
  project = smallProject()
  cwd = writeFolder({
    'pages.jsonl': [
      line('one', generator('Pagekiln')),
      line('two', generator('Pagekiln') + generator('Oven')),
      'no page',
      line('three', generator('Pagekiln') + generator('Oven') + generator('Single')),
      line('four', '<meta name="generator" content="WordPress 6.4">'),
      line('five', '<meta name="generator" content="WordPress 6.4">'),
    ].join('\n'),
    'results.jsonl': [
      result('https://a.kilnsites.app/', null),
      result('https://b.kilnsites.app/', null),
      result('https://c.known.app/', 'Known'),
      result('https://d.known.app/', 'Known'),
      '{"url":"https://e.known.app/","error":"no answer","code":"timeout"}',
    ].join('\n'),
    'empty.jsonl': '\n',
    'out/.keep': '',
    'rules/builders/acme.yaml': builder(),
    'rules/builders/acme.test.yaml': TEST,
  })
})

const gaps = (args: readonly string[]): Promise<Outcome> => project.run('rules', ['gaps', ...args], { cwd })

describe('rules gaps', () => {
  test('lists what no rule explains, with examples', async () => {
    const { code, stdout, stderr } = await gaps(['--pages', 'pages.jsonl'])
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: [
        'line  sites  kind       mark      builders of these pages',
        '1     3      generator  pagekiln  none 100 %',
        '        one: Pagekiln 2.1',
        '        two: Pagekiln 2.1',
        '        three: Pagekiln 2.1',
        '2     2      generator  oven      none 100 %',
        '        two: Oven 2.1',
        '        three: Oven 2.1',
        '',
      ].join('\n'),
    })
    expect(stderr).toBe(
      '1 line without a page, the first: pages.jsonl:3: the line is not valid JSON: Unexpected token \'o\', "no page" is not valid JSON\n',
    )
  })

  test('as JSON, of one kind, the first only', async () => {
    const { stdout } = await gaps(['pages.jsonl', '--format', 'json', '--kind', 'generator', '--top', '1'])
    expect(JSON.parse(stdout)).toMatchObject({ pages: 5, skipped: 1, gaps: [{ line: 1, key: 'pagekiln', sites: 3 }] })
    expect(JSON.parse(stdout).gaps).toHaveLength(1)
  })

  test('finds what a rule would explain that is left out', async () => {
    const { stdout } = await gaps(['--pages', 'pages.jsonl', '--without', 'builder/wordpress'])
    expect(stdout).toContain('generator  wordpress  none 100 %\n')
  })

  test('finds domains in the results of a list', async () => {
    const { stdout } = await gaps(['--pages', 'results.jsonl'])
    expect(stdout).toContain('site  *.kilnsites.app  none 100 %\n        https://a.kilnsites.app/: a.kilnsites.app\n')
    expect(stdout).not.toContain('known.app')
  })

  test('writes the draft of a rule for a line', async () => {
    const args = ['--pages', 'pages.jsonl', '--new', 'builder/oven', '--line', '2', '--category', 'cms', '--in', 'out']
    const { code, stdout } = await gaps(args)
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'out/builders/oven.yaml\nout/builders/oven.test.yaml\n' })
    expect(readFileSync(join(cwd, 'out/builders/oven.yaml'), 'utf8')).toContain('- { meta: generator, has: oven }')
    expect(readFileSync(join(cwd, 'out/builders/oven.test.yaml'), 'utf8')).toContain('content="Oven 2.1"')
  })

  test.each([
    [[], 'gaps needs --pages FILE'],
    [['--pages', 'missing.jsonl'], '--pages: there is no file "missing.jsonl"'],
    [['--pages', 'empty.jsonl'], 'these files contain no page'],
    [['--pages', 'pages.txt'], '--pages: there is no file "pages.txt"'],
    [
      ['--pages', 'pages.jsonl', '--kind', 'generators'],
      '--kind: there is no kind "generators"; did you mean "generator"?',
    ],
    [
      ['--pages', 'pages.jsonl', '--without', 'wordpres'],
      '--without: there is no rule "wordpres"; did you mean "wordpress"?',
    ],
    [['--pages', 'pages.jsonl', '--top', '0'], '--top must be an integer from 1 to 999999, not "0"'],
    [['--pages', 'pages.jsonl', '--new', 'builder/oven'], '--new and --line belong together'],
    [['--pages', 'pages.jsonl', '--new', 'builder/oven', '--line', '9'], '--line: the list has 2 lines'],
    [['--pages', 'results.jsonl', '--new', 'builder/oven', '--line', '1'], 'is the result of a scan, without its page'],
    [['--pages', 'pages.jsonl', '--new', 'builder/wordpress', '--line', '1'], 'the slug wordpress is already used'],
  ])('%j is an error', async (args, message) => {
    const { code, stdout, stderr } = await gaps(args)
    expect({ code, stdout, stderr }).toEqual({ code: 2, stdout: '', stderr: expect.stringContaining(message) })
  })
})
