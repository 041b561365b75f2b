import { generateKeyPairSync } from 'node:crypto'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { checkHead, readPart } from '../../src/rules/release-file.ts'
import type { writeRelease } from '../../tools/releases/write-release.ts'
import { smallProject } from '../support/built-project.ts'
import { writeFolder } from '../support/rule-folder.ts'
import { openReleaseServer } from '../updates/test-release.ts'

/** The compiled tool of the small project, because it reads the files of its build. */
const tool = createRequire(import.meta.url)(
  join(smallProject().folder, 'dist', 'tools', 'releases', 'write-release.js'),
) as { readonly writeRelease: typeof writeRelease }

const folder = writeFolder({})
const at = (name: string): string => join(folder, name)

test('a new key signs the built rules, which a server with its public half accepts', async () => {
  const publicKey = tool.writeRelease(['--new-key', at('key.pem')])
  expect(statSync(at('key.pem')).mode & 0o777).toBe(0o600)
  expect(() => tool.writeRelease(['--new-key', at('key.pem')])).toThrow('key.pem cannot be created (EEXIST)')
  const printed = tool.writeRelease(['--key', at('key.pem'), '--out', at('x.rules')])
  const file = readFileSync(at('x.rules'))
  const head = checkHead(file, publicKey)
  const cases = readPart(file, head, 'cases') as unknown[]
  expect(printed).toBe(
    `${at('x.rules')}: version ${head.manifest.version} of ${head.manifest.date.slice(0, 10)}, ${cases.length} of ${readCases()} cases, ${file.length} bytes`,
  )
  expect(readPart(file, head, 'ruleset')).toMatchObject({ format: 2, rules: [{ slug: 'wordpress' }] })
  const server = await openReleaseServer()
  server.offered = file
  const env = { DATA_DIR: at('data'), RULES_URL: server.url, RULES_PUBLIC_KEY: publicKey }
  const { code, stdout, stderr } = await smallProject().run('service', ['rules', 'update'], { env })
  expect([code, stderr]).toEqual([0, ''])
  expect(stdout).toContain(`The rules were updated to version ${head.manifest.version} of `)
})

function readCases(): number {
  return JSON.parse(readFileSync(join(smallProject().folder, 'dist', 'conformance.json'), 'utf8')).pages.length
}

test.each<[string, string, string]>([
  ['none', '', 'cannot be read as a private key (ENOENT)'],
  ['a text', 'key', 'cannot be read as a private key'],
  [
    'of another kind',
    generateKeyPairSync('x25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    'is not an Ed25519 key: make one with --new-key',
  ],
])('a key that cannot sign: %s', (name, text, sentence) => {
  if (text !== '') writeFileSync(at(name), text)
  expect(() => tool.writeRelease(['--key', at(name), '--out', at('y.rules')])).toThrow(sentence)
})

test.each([[[]], [['--help']], [['--key', 'x']], [['--new-key', 'x', '--out', 'y']]])('%j prints the help', (args) => {
  expect(tool.writeRelease(args)).toMatch(/^Signs the built rules/)
})
