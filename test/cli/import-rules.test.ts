import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { type BuiltProject, type Outcome, smallProject } from '../support/built-project.ts'
import { writeFolder } from '../support/rule-folder.ts'

const page = (id: string, html: string): string =>
  JSON.stringify({ id, url: `https://${id}.example/`, status: 200, headers: [], html })

let project: BuiltProject
let cwd: string
beforeAll(() => {
  project = smallProject()
  cwd = writeFolder({
    'prints/a.json': JSON.stringify({
      WordPress: { cats: [1], website: 'https://wordpress.example', html: 'wp-of-theirs' },
      Kilnwork: { cats: [10], website: 'https://kilnwork.example', html: 'kilnwork-mark', implies: 'WordPress' },
      Ovenly: { cats: [10], html: 'ovenly-mark', js: { ovenly: '' } },
    }),
    'full/.keep': '',
    'broken.json': '{',
    'pages.jsonl': [page('one', '<p id=kilnwork-mark>'), page('two', '<p id=ovenly-mark>'), page('three', '<p>')].join(
      '\n',
    ),
    'names.jsonl': [
      '{"id":"one","names":["Kilnwork","Ovenly"]}',
      '{"id":"two","names":[]}',
      '{"id":"four","names":["Kilnwork"]}',
    ].join('\n'),
    'bad-names.jsonl': '{"id":"one"}',
  })
})

const rules = (args: readonly string[], env = {}): Promise<Outcome> => project.run('rules', args, { cwd, env })

describe('rules import', () => {
  let imported: Outcome
  beforeAll(async () => {
    imported = await rules(['import', 'prints', '--out', 'mine', '--report', 'report.json'])
  })
  const read = (file: string): string => readFileSync(join(cwd, file), 'utf8')

  test('writes rules that read like others', () => {
    expect(imported).toMatchObject({ code: 0, stderr: '' })
    expect(read('mine/technologies/analytics/kilnwork.yaml')).toBe(
      [
        'name: Kilnwork',
        'website: https://kilnwork.example',
        'imported: true',
        'implies: [imported-wordpress]',
        'detect:',
        '  - { html: kilnwork-mark, weight: strong }',
        '',
      ].join('\n'),
    )
    expect(read('mine/categories.yaml')).toContain('  cms: Content management\n')
  })

  test('reports what was not carried over', () => {
    expect(imported.stdout).toContain('3 fingerprints: 3 rules with 3 clauses in mine\n')
    expect(imported.stdout).toMatch(/left out: 1\n +1 {2}no-place-global: Ovenly\n/)
    expect(imported.stdout).toMatch(/changed: 1\n +1 {2}renamed: WordPress\n/)
    expect(JSON.parse(read('report.json'))).toMatchObject({
      fingerprints: 3,
      rules: 3,
      reasons: { 'no-place-global': 1, renamed: 1 },
      notes: [
        { rule: 'WordPress', key: 'name', reason: 'renamed', effect: 'changed' },
        { rule: 'Ovenly', key: 'js.ovenly', reason: 'no-place-global', effect: 'left out' },
      ],
    })
  })

  test('the rules load next to those of the project', async () => {
    const lint = await rules(['lint'], { RULES_DIRS: 'mine' })
    expect(lint.stdout).not.toContain(' error ')
    expect(lint.code).toBe(0)
    expect(lint.stdout).toContain('duplicate-name')
  })

  test('--check explains each difference', async () => {
    const { stdout, code } = await rules([
      'import',
      'mine',
      '--check',
      'pages.jsonl',
      '--against',
      'names.jsonl',
      '--report',
      'differences.json',
    ])
    expect(code).toBe(0)
    expect(stdout).toContain('2 pages, 2 namings of the other tool\n  1 also by the imported rules (50.0 %)\n')
    expect(stdout).toContain(
      'missing 1 × Ovenly, for example on one\n  no clause holds: { html: ovenly-mark, weight: strong }\n',
    )
    expect(stdout).toContain('other 1 × WordPress, for example on one\n  implied by kilnwork\n')
    expect(stdout).toContain('other 1 × Ovenly, for example on two\n  { html: ovenly-mark, weight: strong } found ')
    expect(JSON.parse(read('differences.json'))).toMatchObject({ pages: 2, both: 1, missing: 1, others: 2 })
  })

  test.each<[what: string, args: readonly string[], message: string]>([
    ['no file', ['--out', 'new'], 'import needs files or folders'],
    ['no --out', ['prints'], 'import needs --out FOLDER'],
    ['a folder with files', ['prints', '--out', 'full'], 'is not an empty folder'],
    ['a missing file', ['nothing', '--out', 'new'], 'there is no file or folder "nothing"'],
    ['a folder without JSON', ['full', '--out', 'new'], 'has no JSON file'],
    ['broken JSON', ['broken.json', '--out', 'new'], 'broken.json: '],
    ['a prefix with other characters', ['prints', '--out', 'new', '--prefix', 'X '], 'must be lower-case letters'],
    ['--check alone', ['--check', 'pages.jsonl'], 'needs --against NAMES'],
    [
      '--check with --out',
      ['--check', 'pages.jsonl', '--against', 'names.jsonl', '--out', 'new'],
      '--out cannot be combined',
    ],
    ['no imported rule', ['--check', 'pages.jsonl', '--against', 'names.jsonl'], 'no rule is imported'],
    ['lines without names', ['mine', '--check', 'pages.jsonl', '--against', 'bad-names.jsonl'], 'bad-names.jsonl:1: '],
  ])('rejects %s', async (_, args, message) => {
    const { code, stderr } = await rules(['import', ...args])
    expect(code).toBe(2)
    expect(stderr).toContain(message)
  })
})
