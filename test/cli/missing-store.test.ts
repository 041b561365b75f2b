import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { type BuiltProject, smallProject } from '../support/built-project.ts'
import { writeFolder } from '../support/rule-folder.ts'

let project: BuiltProject
beforeAll(() => {
  project = smallProject()
})

const DATA_DIR = join(writeFolder({}), 'mistyped')

test.each([
  'keys list',
  'keys list --json',
  'keys usage',
  'keys show key_x',
  'keys revoke key_x',
  'keys rotate key_x',
  'keys delete key_x --yes',
  'keys attach key_x a@a.example',
  'keys set-plan key_x pro',
  'keys create --name N --account a@a.example',
  'accounts list',
  'accounts disable a@a.example',
  'service audit',
  'service api status',
  'service maintenance on',
  'service backup new',
  'service export new',
])('%s needs a store, and does not create one in a mistyped DATA_DIR', async (line) => {
  const [command, ...args] = line.split(' ')
  const sentence = 'does not contain a database: set DATA_DIR to the data folder of the server'
  const { code, stdout, stderr } = await project.run(command, args, { env: { DATA_DIR } })
  // Backup reads the pepper first.
  const expected = line === 'service backup new' ? 'set DATA_DIR to the data folder' : `${DATA_DIR} ${sentence}`
  expect({ code, stdout, stderr }).toEqual({ code: 2, stdout: '', stderr: expect.stringContaining(expected) })
  expect(existsSync(DATA_DIR)).toBe(false)
})

test.each([
  ['keys', 'create --name N --email a@a.example --plan free'],
  ['accounts', 'create a@a.example --name N'],
  ['accounts', 'invite'],
])('%s %s creates a store, also in an existing empty folder, and reports it', async (command, line) => {
  const env = { DATA_DIR: writeFolder({}) }
  const { code, stderr } = await project.run(command, line.split(' '), { env })
  expect(code).toBe(0)
  expect(stderr.split('\n')[0]).toBe(`There is no store yet. Creating one in ${env.DATA_DIR}.`)
  expect((await project.run('keys', ['list'], { env })).code).toBe(0)
})
