import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { smallProject } from '../support/built-project.ts'
import { writeFolder } from '../support/rule-folder.ts'

// The other tests of commands call their functions in the process of the test.
describe.each(['scan', 'report', 'rules', 'accounts', 'keys', 'service'])('the command %s in a process', (command) => {
  const run = (args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
    smallProject().spawn(command, args, { env: { DATA_DIR: join(writeFolder({}), 'data'), ...env } })

  test('prints its help to stdout, and ends with 0', async () => {
    const expected = { code: 0, stdout: expect.stringContaining('Exit code'), stderr: '' }
    expect(await run(['--help'])).toEqual(expected)
  })

  test('reports wrong usage to stderr, and ends with 2', async () => {
    const usage = 'Run with --help for usage.\n'
    expect(await run([])).toEqual({ code: 2, stdout: '', stderr: expect.stringMatching(`^.+\n${usage}$`) })
  })
})

test('a process reads its settings from the environment', async () => {
  const env = { RULES_DIRS: 'none' }
  const { code, stdout, stderr } = await smallProject().spawn('scan', ['example.org'], { env })
  const sentence = `RULES_DIRS: the folder does not exist: ${join(smallProject().folder, 'none')}\n`
  expect({ code, stdout, stderr }).toEqual({ code: 2, stdout: '', stderr: sentence })
})
