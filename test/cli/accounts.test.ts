import { join } from 'node:path'
import { expect, test } from 'vitest'
import { smallProject } from '../support/built-project.ts'
import { writeFolder } from '../support/rule-folder.ts'

const env = { DATA_DIR: join(writeFolder({}), 'misuse') }

test.each<[string[], string]>([
  [[], 'missing verb: use one of invite, create, list, verify, reset, set-plan, disable, enable, delete'],
  [['invite', '--days', '0'], '--days must be a number from 1 to 365'],
  [['create'], 'create takes <email>'],
  [['create', 'ann@a.example', '--name', 'A', '--plan', 'none'], 'there is no plan "none"'],
  [['create', 'ann', '--name', 'A'], 'Enter an e-mail address, such as name@example.org.'],
  [['create', 'ann@a.example'], '--name must have 1 to 100 characters, all on one line and some of them visible'],
  [['set-plan', 'ann@a.example'], 'set-plan takes <email> <plan>'],
  [['delete', 'ann@a.example'], 'delete removes an account permanently and revokes its keys: confirm it with --yes'],
])('wrong usage is reported in a sentence: %j', async (args, sentence) => {
  const { code, stdout, stderr } = await smallProject().run('accounts', args, { env })
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
  expect(stderr).toContain(sentence)
})
