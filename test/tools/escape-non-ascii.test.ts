import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { projectFolder } from '../../src/rules/built.ts'
import { writeFolder } from '../support/rule-folder.ts'

const { escapeNonAscii } = (await import(join(projectFolder(), 'tools/escape-non-ascii.mjs'))) as {
  escapeNonAscii(folder: string): void
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
  const text = EXPRESSIONS.map((one, i) => `export const v${i} = ${one}`).join('\n')
  const folder = writeFolder({ 'plain.mjs': text, 'escaped.js': text, 'package.json': '{ "type": "module" }' })
  escapeNonAscii(folder)
  expect(readFileSync(join(folder, 'escaped.js'), 'utf8')).toMatch(/^\p{ASCII}*$/u)
  const [plain, escaped] = await Promise.all(['plain.mjs', 'escaped.js'].map((name) => import(join(folder, name))))
  expect({ ...escaped }).toEqual({ ...plain })
  expect(plain.v6).toBe(true)
})

test('a raw template is refused', () => {
  const folder = writeFolder({ 'raw.js': 'export const a = String.raw`é`' })
  expect(() => escapeNonAscii(folder)).toThrow('raw.js: a raw template is not ASCII')
})
