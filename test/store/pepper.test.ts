import { mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { SetupError } from '../../src/errors.ts'
import { copyPepper, loadPepper } from '../../src/store/pepper.ts'
import { writeFolder } from '../support/rule-folder.ts'

const PEPPER = 'a pepper of the tests, at least 32'
const mayMake = { mayMake: true }

test('a pepper is made once, for its owner alone', () => {
  const folder = join(writeFolder({}), 'new', 'data')
  const pepper = loadPepper(folder, mayMake)
  expect(pepper).toMatch(/^[\w-]{43}$/)
  expect(readFileSync(join(folder, 'pepper'), 'utf8')).toBe(`${pepper}\n`)
  expect(statSync(join(folder, 'pepper')).mode & 0o777).toBe(0o600)
  expect(statSync(folder).mode & 0o777).toBe(0o700)
  expect(readdirSync(folder)).toEqual(['pepper'])
  expect(loadPepper(folder, mayMake)).toBe(pepper)
  expect(loadPepper(folder, { mayMake: false })).toBe(pepper)
  expect(loadPepper(writeFolder({}), mayMake)).not.toBe(pepper)
})

test('a folder that cannot be made is told, and not tried for ever', () => {
  expect(() => loadPepper('/proc/none/deep', mayMake)).toThrow(SetupError)
})

test('one that is there is read without blanks', () => {
  expect(loadPepper(writeFolder({ pepper: `  ${PEPPER}\r\n` }), mayMake)).toBe(PEPPER)
})

test('what a start that was killed has left is no pepper', () => {
  const folder = writeFolder({ 'pepper.0123456789abcdef': PEPPER })
  expect(loadPepper(folder, mayMake)).toMatch(/^[\w-]{43}$/)
})

test('a copy is for its owner alone, and takes the place of none', () => {
  const folder = writeFolder({})
  copyPepper(PEPPER, folder)
  expect(statSync(join(folder, 'pepper')).mode & 0o777).toBe(0o600)
  expect(loadPepper(folder, { mayMake: false })).toBe(PEPPER)
  expect(() => copyPepper('other', folder)).toThrow('EEXIST')
  expect(loadPepper(folder, { mayMake: false })).toBe(PEPPER)
})

describe('a pepper is refused that is', () => {
  const cutOff = 'is empty or cut off: put the pepper of a backup in its place, or set KEY_PEPPER to it'
  test.each<[string, (file: string) => void, string]>([
    ['empty', (file) => writeFileSync(file, '\n'), cutOff],
    ['short', (file) => writeFileSync(file, 'x'.repeat(31)), cutOff],
    [
      'a folder',
      (file) => mkdirSync(file),
      'cannot be read or made (EISDIR): check that this user may read and write there, or set KEY_PEPPER',
    ],
    [
      'a link to nothing',
      (file) => symlinkSync('/none/there', file),
      'leads nowhere: remove it, or put the pepper of a backup in its place',
    ],
  ])('%s', (_, make, sentence) => {
    const folder = writeFolder({})
    make(join(folder, 'pepper'))
    expect(() => loadPepper(folder, mayMake)).toThrow(new SetupError(`${join(folder, 'pepper')} ${sentence}`))
    expect(readdirSync(folder)).toEqual(['pepper'])
  })
})
