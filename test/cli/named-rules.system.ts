import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { smallProject } from '../support/built-project.ts'
import { builder, TEST, technology, writeFolder } from '../support/rule-folder.ts'

const bad = builder('{ scirpt: /a.js }').replace('cms', 'blog')
const FILES = {
  'mine/builders/acme.yaml': builder().replace('cms', 'blog'),
  'mine/builders/acme.test.yaml': TEST,
  'mine/builders/beta.yaml': bad.replaceAll('acme.com', 'beta.com').replace('Acme', 'Beta'),
  'mine/builders/beta.test.yaml': TEST.replaceAll('acme', 'beta'),
}
const run = (args: readonly string[], files: Readonly<Record<string, string>> = FILES) => {
  const cwd = writeFolder(files)
  return smallProject()
    .run('rules', args, { cwd })
    .then((outcome) => ({ ...outcome, cwd }))
}
const listCodes = (stdout: string): string[] =>
  stdout
    .split('\n')
    .filter(Boolean)
    .map((line) => line.replace(/^(\S+?):\d.* /, '$1 '))

describe('lint with files', () => {
  test.each<[args: string[], code: number, found: string[], stderr: string]>([
    [['mine/builders/acme.yaml'], 0, [], '1 rule: no problems found\n'],
    [['./mine/builders/acme.test.yaml'], 0, [], '1 rule: no problems found\n'],
    [['mine/builders/beta.yaml'], 1, ['mine/builders/beta.yaml unknown-key'], '1 rule: 1 finding\n'],
    [
      ['mine/builders/acme.yaml', 'mine/builders/beta.yaml'],
      1,
      ['mine/builders/beta.yaml unknown-key'],
      '2 rules: 1 finding\n',
    ],
  ])('%j reports their findings alone', async (files, code, found, stderr) => {
    const outcome = await run(['lint', ...files])
    expect({ code: outcome.code, found: listCodes(outcome.stdout), stderr: outcome.stderr }).toEqual({
      code,
      found,
      stderr,
    })
  })

  test('a technology is found in the folder of its category', async () => {
    const files = {
      'mine/technologies/analytics/acme.yaml': technology('{ scirpt: /a.js }'),
      'mine/technologies/analytics/acme.test.yaml': TEST,
    }
    const { stdout } = await run(['lint', 'mine/technologies/analytics/acme.yaml'], files)
    expect(listCodes(stdout)).toEqual(['mine/technologies/analytics/acme.yaml unknown-key'])
  })

  test('a finding about two rules is one of the file that is named', async () => {
    const files = {
      'mine/builders/acme.yaml': builder().replace('cms', 'blog'),
      'mine/builders/acme.test.yaml': TEST,
      'mine/builders/zeta.yaml': builder().replace('cms', 'blog').replace('Acme', 'Zeta'),
      'mine/builders/zeta.test.yaml': TEST,
    }
    for (const name of ['acme', 'zeta']) {
      const { stdout } = await run(['lint', `mine/builders/${name}.yaml`], files)
      expect(listCodes(stdout)).toEqual([`mine/builders/${name}.yaml overlap`])
    }
  })

  test('--fix changes these files alone', async () => {
    const files = {
      ...FILES,
      'mine/builders/beta.yaml': builder('{ script: /beta-kiln.js, weight: strong }')
        .replace('cms', 'blog')
        .replaceAll('acme.com', 'beta.com')
        .replace('Acme', 'Beta'),
    }
    const before = await run(['lint', 'mine/builders/acme.yaml', '--fix'], files)
    expect(readFileSync(join(before.cwd, 'mine/builders/beta.yaml'), 'utf8')).toContain('weight: strong')
    const after = await run(['lint', 'mine/builders/beta.yaml', '--fix'], files)
    expect(readFileSync(join(after.cwd, 'mine/builders/beta.yaml'), 'utf8')).not.toContain('weight')
    expect(after).toMatchObject({ code: 0, stdout: '' })
  })
})

describe('test and explain with files', () => {
  const files = { 'mine/builders/acme.yaml': builder().replace('cms', 'blog'), 'mine/builders/acme.test.yaml': TEST }

  test.each(['mine/builders/acme.yaml', 'mine/builders/acme.test.yaml'])('test %s', async (name) => {
    const { code, stdout, stderr } = await run(['test', name], files)
    expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: '', stderr: '1 rule, 2 pages: no problems found\n' })
  })

  test('test <kind>/<slug>', async () => {
    const options = { cwd: writeFolder(files), env: { RULES_DIRS: 'mine' } }
    const { code, stderr } = await smallProject().run('rules', ['test', 'builder/acme'], options)
    expect({ code, stderr }).toEqual({ code: 0, stderr: '1 rule, 2 pages: no problems found\n' })
  })

  test.each<[name: string, test: string, code: string, command: string]>([
    ['a hit with another level', TEST.replace('high', 'low'), 'hit-differs', '--hit 1'],
    ['a miss that fires', TEST.replace('https://example.com/acme', 'https://acme.com/'), 'miss-fires', '--miss 1'],
    [
      'another rule that fires',
      TEST.replace(
        '{ url: https://acme.com/ }',
        "{ url: https://acme.com/, headers: { link: '<https://acme.com/wp-json/>; rel=https://api.w.org/' } }",
      ),
      'unrelated-hit',
      '--hit 1 --all',
    ],
  ])('%s names the command that explains it, which runs', async (_, text, code, option) => {
    const changed = { ...files, 'mine/builders/acme.test.yaml': text }
    const outcome = await run(['test', 'mine/builders/acme.yaml'], changed)
    const line = outcome.stdout.split('\n').find((one) => one.endsWith(code))
    const command = `explain mine/builders/acme.yaml ${option}`
    expect(line).toContain(`; to see why, run npm run -s rules -- ${command}  ${code}`)
    const explained = await run(command.split(' '), changed)
    expect(explained.code).toBe(0)
    expect(explained.stdout).toContain('builder acme (Acme)')
  })
})
