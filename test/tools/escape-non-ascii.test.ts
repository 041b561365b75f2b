import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { projectFolder } from '../../src/rules/built.ts'
import { onFileEnd } from '../support/on-file-end.ts'

const { escapeNonAscii } = (await import(join(projectFolder(), 'tools/escape-non-ascii.mjs'))) as {
  escapeNonAscii(folder: string): void
}
function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'siteprint-ascii-'))
  onFileEnd(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** Expressions of a module. */
const EXPRESSIONS = [
  "'naïve – “text”'",
  "'😀'.length",
  '`… é\\n`',
  "'\\\\é'",
  "'\\é'",
  "'\\\\\\é'",
  "/^[😀-😂]$/u.test('😁')",
  "/\\é/.test('é')",
  '({ é: 1 })',
  '((ñ) => ñ + 1)(1)',
]

test('the module is ASCII, and every expression has its value', async () => {
  const folder = makeFolder()
  const text = EXPRESSIONS.map((one, i) => `export const v${i} = ${one}`).join('\n')
  writeFileSync(join(folder, 'plain.mjs'), text)
  writeFileSync(join(folder, 'escaped.js'), text)
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  escapeNonAscii(folder)
  expect(readFileSync(join(folder, 'escaped.js'), 'utf8')).toMatch(/^\p{ASCII}*$/u)
  const [plain, escaped] = await Promise.all(['plain.mjs', 'escaped.js'].map((name) => import(join(folder, name))))
  expect({ ...escaped }).toEqual({ ...plain })
  expect(plain.v6).toBe(true)
})

test('a raw template is refused', () => {
  const folder = makeFolder()
  writeFileSync(join(folder, 'raw.js'), 'export const a = String.raw`é`')
  expect(() => escapeNonAscii(folder)).toThrow('raw.js: a raw template is not ASCII')
})
