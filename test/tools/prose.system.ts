import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { projectFolder } from '../../src/rules/built.ts'
import { writeFolder } from '../support/rule-folder.ts'

// prose.test.ts tests which phrases are found.
test.each([
  ['a retired phrase', 'Nobody waits.', 1, /text\.md:1:1 {2}"Nobody": write \S/],
  ['no retired phrase', 'The client waits.', 0, /^$/],
])('tools/prose.mjs on a file with %s: exit code and report', (_, text, code, report) => {
  const file = join(writeFolder({ 'text.md': text }), 'text.md')
  const script = join(projectFolder(), 'tools', 'prose.mjs')
  const { status, stdout } = spawnSync(process.execPath, [script, file], { encoding: 'utf8' })
  expect({ status, stdout }).toEqual({ status: code, stdout: expect.stringMatching(report) })
})
