import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { type Outcome, smallProject } from '../support/built-project.ts'
import { writeFolder } from '../support/rule-folder.ts'

const init = (cwd: string, ...args: string[]): Promise<Outcome> =>
  smallProject().run('rules', ['init', ...args], { cwd })
const listFiles = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .sort()

test('init writes a folder of rules that has no problems, and keeps what exists', async () => {
  const cwd = writeFolder({ 'mine/.vscode/settings.json': '{ "mine": true }' })
  const first = await init(cwd, 'mine', '--action', 'acme/siteprint@main')
  expect(first).toMatchObject({
    code: 0,
    stderr: expect.stringMatching(/^\d+ files written, 1 file kept, because it exists\n/),
  })
  const files = listFiles(join(cwd, 'mine'))
  expect(files.filter((file) => !file.startsWith('.siteprint'))).toEqual([
    '.github/workflows/rules.yml',
    '.vscode/settings.json',
    'rules/README.md',
    'rules/builders/pagekiln.test.yaml',
    'rules/builders/pagekiln.yaml',
  ])
  expect(readFileSync(join(cwd, 'mine/.vscode/settings.json'), 'utf8')).toBe('{ "mine": true }')
  expect(JSON.parse(readFileSync(join(cwd, 'mine/.siteprint/schemas/builder.json'), 'utf8'))).toHaveProperty(
    'properties',
  )
  const workflow = parse(readFileSync(join(cwd, 'mine/.github/workflows/rules.yml'), 'utf8'))
  expect(workflow).toMatchObject({ permissions: { contents: 'read' }, jobs: { rules: { steps: { length: 3 } } } })
  expect(workflow.jobs.rules.steps[2]).toEqual({
    uses: 'acme/siteprint/.github/actions/rules@main',
    with: { folder: 'rules' },
  })
  const read = (): string[] => files.map((file) => readFileSync(join(cwd, 'mine', file), 'utf8'))
  const before = read()
  expect(await init(join(cwd, 'mine'), '.', '--action', 'acme/other')).toMatchObject({ code: 0, stdout: '' })
  expect(read()).toEqual(before)
})

test('a repository that has rules gets no example', async () => {
  const cwd = writeFolder({ 'rules/builders/acme.yaml': 'name: Acme\n' })
  expect((await init(cwd)).code).toBe(0)
  expect(listFiles(join(cwd, 'rules'))).toEqual(['README.md', 'builders/acme.yaml'])
  const slugs = JSON.parse(readFileSync(join(cwd, '.siteprint/schemas/slugs.json'), 'utf8'))
  expect(slugs.definitions.product.enum).toEqual(['acme', 'wordpress'])
  expect(slugs.definitions.product.errorMessage).toContain('delete .siteprint/schemas and run: siteprint rules init')
})

test.each([
  [['file'], '"file" is a file: name a folder, which may be missing'],
  [['.', '--action', 'x y'], '--action must be OWNER/NAME or OWNER/NAME@REF, not "x y"'],
  [['a', 'b'], 'init takes [folder]'],
])('init %j says what is wrong', async (args, message) => {
  const cwd = writeFolder({ file: '' })
  mkdirSync(join(cwd, 'a'))
  writeFileSync(join(cwd, 'b'), '')
  expect(await init(cwd, ...args)).toEqual({ code: 2, stdout: '', stderr: `${message}\nRun with --help for usage.\n` })
})
