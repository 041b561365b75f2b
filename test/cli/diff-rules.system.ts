import { spawnSync } from 'node:child_process'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { beforeAll, describe, expect, test } from 'vitest'
import { type BuiltProject, copyProject, smallProject } from '../support/built-project.ts'
import { builder, TEST, writeFolder } from '../support/rule-folder.ts'

const ACME = join('rules', 'builders', 'acme.yaml')
const ACME_TEST = join('rules', 'builders', 'acme.test.yaml')
const PAGES = [
  { id: 'shop', html: '<meta name="generator" content="Kiln">' },
  { id: 'a|b `c`', html: '<p id="kiln">' },
  { id: 'other', html: '<p>' },
]

let project: BuiltProject
let cwd: string
const git = (...args: string[]): string => {
  const identity = ['-c', 'user.name=A', '-c', 'user.email=a@example.com', '-c', 'commit.gpgsign=false']
  const { status, stdout, stderr } = spawnSync('git', [...identity, ...args], { cwd: project.folder, encoding: 'utf8' })
  expect({ status, stderr: status === 0 ? '' : stderr }).toEqual({ status: 0, stderr: '' })
  return stdout.trim()
}
const write = (name: string, text: string): void => writeFileSync(join(project.folder, name), text)
const diff = (...args: string[]) => project.run('rules', ['diff', ...args], { cwd })

beforeAll(() => {
  project = copyProject(smallProject())
  const lines = PAGES.map((page) => `${JSON.stringify(page)}\n`).join('')
  cwd = writeFolder({ 'pages.jsonl': lines, 'one.html': PAGES[0].html, 'bad.jsonl': '{"id":"a"}\n{"id":7}\n' })
  writeFileSync(join(cwd, 'pages.jsonl.gz'), gzipSync(lines))
  git('init', '--quiet', '--initial-branch=main')
  write(ACME, builder("{ element: '#kiln', weight: medium }"))
  write(ACME_TEST, TEST)
  git('add', 'rules')
  git('commit', '--quiet', '-m', 'first')
  git('tag', 'first')
  git('checkout', '--quiet', '-b', 'work')
  write(ACME, builder('{ meta: generator, is: Kiln }'))
  git('commit', '--quiet', '-am', 'second')
})

describe('without a ref', () => {
  test('a branch is compared with where it left main', async () => {
    const { code, stdout, stderr } = await diff('--pages', 'pages.jsonl')
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout.replace(/\d+ pages compared/, 'N compared')).toBe(
      `merge base with main (${git('rev-parse', '--short=7', 'first')}) to the working tree: the verdict on 2 pages changes, N compared
by rule
  builder/acme: new on 1 page, gone from 1 page
by page
  shop
    builderSlug: none → acme
    confidence: none → high
    technologies: none → Acme
  a|b \`c\`
    builderSlug: acme → none
    confidence: medium → none
    technologies: Acme → none
`,
    )
  })

  test('without a branch main, with HEAD', async () => {
    git('branch', '--quiet', '-m', 'main', 'trunk')
    const { stdout } = await diff()
    git('branch', '--quiet', '-m', 'trunk', 'main')
    expect(stdout).toMatch(/^HEAD \(\w{7}\) to the working tree: no verdict changes, \d+ pages compared\n$/)
  })
})

test.each(['pages.jsonl.gz', 'one.html'])('reads pages of %s', async (file) => {
  const { stdout } = await diff('first', '--pages', file)
  expect(stdout).toContain('confidence: none → high')
})

test('as JSON', async () => {
  const { stdout } = await diff('first', '--format', 'json', '--pages', 'pages.jsonl', '--pages', 'one.html')
  const { from, rules, changes } = JSON.parse(stdout)
  expect(from).toEqual({ ref: 'first', commit: git('rev-parse', 'first') })
  expect(rules).toEqual([{ rule: 'builder/acme', gained: ['shop', 'one.html'], lost: ['a|b `c`'], level: [] }])
  expect(changes.map(({ page }: { page: string }) => page)).toEqual(['shop', 'a|b `c`', 'one.html'])
  expect(changes[0].fields[0]).toEqual({ field: 'builderSlug', before: null, after: 'acme' })
})

test('as Markdown, in which names cannot become markup', async () => {
  const { stdout } = await diff('first', '--format', 'markdown', '--pages', 'pages.jsonl')
  const lines = stdout.split('\n')
  expect(lines[0]).toBe('<!-- siteprint rules diff -->')
  expect(lines).toContain('| `builder/acme` | 1 | 1 | 0 |')
  expect(lines).toContain('| `a\\|b c` | builderSlug | `acme` | none |')
})

test('the working tree counts: a rule that is deleted with its tests changes its old pages', async () => {
  for (const name of [ACME, ACME_TEST]) rmSync(join(project.folder, name))
  const { stdout } = await diff('HEAD')
  git('checkout', '--quiet', '--', 'rules')
  expect(stdout).toContain('  builder/acme: gone from 1 page\n')
  expect(stdout).toContain('  builder/acme hit 1 of HEAD\n')
  expect(readFileSync(join(project.folder, ACME), 'utf8')).toContain('Kiln')
})

test('a new level is a change, and rules that today are rejected are named', async () => {
  write(ACME, builder('{ scirpt: /a.js }'))
  git('commit', '--quiet', '-am', 'broken')
  write(ACME, builder("{ element: '#kiln' }"))
  const broken = await diff('HEAD', '--pages', 'pages.jsonl')
  const level = await diff('first', '--pages', 'pages.jsonl')
  git('reset', '--quiet', '--hard', 'HEAD~1')
  expect(broken.stderr).toContain("that are ignored, because today's engine does not accept them: builder/acme\n")
  expect(level.stdout).toContain('  builder/acme: another level on 1 page\n')
  expect(level.stdout).toContain('    confidence: medium → high\n')
})

test.each([
  [['no-such-ref'], 'there is no git ref "no-such-ref"; use a branch, a tag or a commit'],
  [['first', '--pages', 'bad.jsonl'], 'bad.jsonl:2: id must be a string'],
])('%j', async (args, sentence) => {
  const { code, stdout, stderr } = await diff(...args)
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
  expect(stderr).toContain(sentence)
})

test('rules outside of a repository cannot be compared', async () => {
  const { code, stderr } = await copyProject(smallProject()).run('rules', ['diff'], { cwd })
  expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringMatching(/not in a git repository/) })
})
