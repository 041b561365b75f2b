import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { readFormat } from '../../src/cli/rules/format-findings.ts'
import type { FileFinding } from '../../src/yaml/finding.ts'
import { smallProject } from '../support/built-project.ts'
import { builder, TEST, writeFolder } from '../support/rule-folder.ts'

const odd: FileFinding[] = [
  {
    file: 'a b/x,y:z.yaml',
    line: 3,
    column: 7,
    level: 'error',
    code: 'bad-yaml',
    sentence: '100 % wrong:\nthis, that',
  },
  { file: '/abs/é.yaml', line: 1, column: 1, level: 'warning', code: 'stale', sentence: 'old' },
]

describe('format', () => {
  test('text', () => {
    expect(readFormat()(odd)).toBe(
      'a b/x,y:z.yaml:3:7  error  100 % wrong:\nthis, that  bad-yaml\n/abs/é.yaml:1:1  warning  old  stale\n',
    )
  })

  test('json is a list of findings', () => {
    expect(JSON.parse(readFormat('json')(odd))).toEqual(odd)
    expect(JSON.parse(readFormat('json')([]))).toEqual([])
  })

  test('github is one workflow command per finding, with escaped characters', () => {
    expect(readFormat('github')(odd)).toBe(
      '::error file=a b/x%2Cy%3Az.yaml,line=3,col=7,title=bad-yaml::100 %25 wrong:%0Athis, that\n' +
        '::warning file=/abs/é.yaml,line=1,col=1,title=stale::old\n',
    )
    expect(readFormat('github')([])).toBe('')
  })

  test('sarif is a log with one run, whose results refer to its rules', () => {
    const log = JSON.parse(readFormat('sarif')([...odd, odd[0]]))
    expect({ ...log, runs: log.runs.length }).toEqual({
      $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
      version: '2.1.0',
      runs: 1,
    })
    const [{ tool, results, columnKind }] = log.runs
    expect(columnKind).toBe('utf16CodeUnits')
    expect(tool.driver).toEqual({
      name: 'Siteprint',
      rules: [
        {
          id: 'bad-yaml',
          shortDescription: { text: 'the YAML is not valid: {reason}' },
          defaultConfiguration: { level: 'error' },
        },
        { id: 'stale', shortDescription: { text: expect.any(String) }, defaultConfiguration: { level: 'warning' } },
      ],
    })
    const located = (uri: string, startLine: number, startColumn: number) => [
      { physicalLocation: { artifactLocation: { uri }, region: { startLine, startColumn } } },
    ]
    const first = { ruleId: 'bad-yaml', ruleIndex: 0, level: 'error', message: { text: '100 % wrong:\nthis, that' } }
    expect(results).toEqual([
      { ...first, locations: located('a%20b/x%2Cy%3Az.yaml', 3, 7) },
      {
        ruleId: 'stale',
        ruleIndex: 1,
        level: 'warning',
        message: { text: 'old' },
        locations: located('file:///abs/%C3%A9.yaml', 1, 1),
      },
      { ...first, locations: located('a%20b/x%2Cy%3Az.yaml', 3, 7) },
    ])
  })

  test('an unknown one is rejected', () => {
    for (const name of ['xml', 'toString', ''])
      expect(() => readFormat(name)).toThrow(
        `--format: there is no format "${name}": use one of text, json, github, sarif`,
      )
  })
})

describe('lint', () => {
  const clause = '{ script: /kiln.js, weight: strong }'
  const files = {
    'sound/builders/acme.yaml': `# head\n${builder(clause).replace('cms', 'blog')}`,
    'sound/builders/acme.test.yaml': TEST,
  }

  test('--format prints findings for other programs, and their number on stderr', async () => {
    const { code, stdout, stderr } = await smallProject().run('rules', ['lint', 'sound', '--format', 'json'], {
      cwd: writeFolder(files),
    })
    const sentence = 'weight: strong is the default weight of this clause: remove it'
    const file = 'sound/builders/acme.yaml'
    expect(JSON.parse(stdout)).toEqual([
      { file, line: 8, column: 33, level: 'warning', code: 'needless-weight', sentence },
    ])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '2 rules: 1 finding, only warnings\n' })
  })

  test('--fix corrects the files and reports what remains', async () => {
    const cwd = writeFolder({
      ...files,
      'sound/builders/beta.yaml': builder('{ weight: weak, scirpt: /a.js }').replace('Acme', 'Beta'),
      'sound/builders/beta.test.yaml': TEST,
    })
    const { code, stdout, stderr } = await smallProject().run('rules', ['lint', 'sound', '--fix'], { cwd })
    expect({ code, stdout: stdout.replace(/ {2}error.*/, '') }).toEqual({
      code: 1,
      stdout: 'sound/builders/beta.yaml:7:7\n',
    })
    expect(stderr).toMatch(/^sound\/builders\/acme.yaml fixed\nsound\/builders\/beta.yaml fixed\n3 rules: 1 finding\n$/)
    const fixed = readFileSync(join(cwd, 'sound/builders/acme.yaml'), 'utf8')
    expect(fixed).toBe(files['sound/builders/acme.yaml'].replace(', weight: strong', ''))
  })
})
