import { mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { SetupError } from '../../src/errors.ts'
import { AUTH_SECRET, copySecret, loadSecret, PEPPER as PEPPER_FILE } from '../../src/store/secret-file.ts'
import { writeFolder } from '../support/rule-folder.ts'

const PEPPER = 'a pepper of the tests, at least 32'
const mayCreate = { mayCreate: true }

test('a pepper is created once, readable only by its owner', () => {
  const folder = join(writeFolder({}), 'new', 'data')
  const pepper = loadSecret(PEPPER_FILE, folder, mayCreate)
  expect(pepper).toMatch(/^[\w-]{43}$/)
  expect(readFileSync(join(folder, 'pepper'), 'utf8')).toBe(`${pepper}\n`)
  expect(statSync(join(folder, 'pepper')).mode & 0o777).toBe(0o600)
  expect(statSync(folder).mode & 0o777).toBe(0o700)
  expect(readdirSync(folder)).toEqual(['pepper'])
  expect(loadSecret(PEPPER_FILE, folder, mayCreate)).toBe(pepper)
  expect(loadSecret(PEPPER_FILE, folder, { mayCreate: false })).toBe(pepper)
  expect(loadSecret(PEPPER_FILE, writeFolder({}), mayCreate)).not.toBe(pepper)
})

test('each secret has a file of its own', () => {
  const folder = writeFolder({})
  const secrets = [loadSecret(PEPPER_FILE, folder, mayCreate), loadSecret(AUTH_SECRET, folder, mayCreate)]
  expect(new Set(secrets).size).toBe(2)
  expect(readdirSync(folder).sort()).toEqual(['auth-secret', 'pepper'])
  writeFileSync(join(folder, 'auth-secret'), 'x')
  expect(() => loadSecret(AUTH_SECRET, folder, mayCreate)).toThrow(
    'is empty or truncated: restore the secret from a backup, or set AUTH_SECRET to it',
  )
})

test('a folder that cannot be created is reported without an endless loop', () => {
  expect(() => loadSecret(PEPPER_FILE, '/proc/none/deep', mayCreate)).toThrow(SetupError)
})

test('an existing pepper is read without surrounding white space', () => {
  expect(loadSecret(PEPPER_FILE, writeFolder({ pepper: `  ${PEPPER}\r\n` }), mayCreate)).toBe(PEPPER)
})

test('a temporary file of a killed process is not used as a pepper', () => {
  const folder = writeFolder({ 'pepper.0123456789abcdef': PEPPER })
  expect(loadSecret(PEPPER_FILE, folder, mayCreate)).toMatch(/^[\w-]{43}$/)
})

test('a copy is readable only by its owner and replaces no pepper', () => {
  const folder = writeFolder({})
  copySecret(PEPPER_FILE, PEPPER, folder)
  expect(statSync(join(folder, 'pepper')).mode & 0o777).toBe(0o600)
  expect(loadSecret(PEPPER_FILE, folder, { mayCreate: false })).toBe(PEPPER)
  expect(() => copySecret(PEPPER_FILE, 'other', folder)).toThrow('EEXIST')
  expect(loadSecret(PEPPER_FILE, folder, { mayCreate: false })).toBe(PEPPER)
})

describe('a pepper is rejected if it is', () => {
  const truncated = 'is empty or truncated: restore the pepper from a backup, or set KEY_PEPPER to it'
  test.each<[string, (file: string) => void, string]>([
    ['empty', (file) => writeFileSync(file, '\n'), truncated],
    ['short', (file) => writeFileSync(file, 'x'.repeat(31)), truncated],
    [
      'a folder',
      (file) => mkdirSync(file),
      'cannot be read or created (EISDIR): check that this user can read and write there, or set KEY_PEPPER',
    ],
    [
      'a link to a missing file',
      (file) => symlinkSync('/none/there', file),
      'is a symbolic link to a missing file: remove it, or restore the pepper from a backup',
    ],
  ])('%s', (_, create, message) => {
    const folder = writeFolder({})
    create(join(folder, 'pepper'))
    expect(() => loadSecret(PEPPER_FILE, folder, mayCreate)).toThrow(
      new SetupError(`${join(folder, 'pepper')} ${message}`),
    )
    expect(readdirSync(folder)).toEqual(['pepper'])
  })
})
