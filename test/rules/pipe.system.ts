import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { builder, findingsOf, placeOf, TEST, writeFolder } from '../support/rule-folder.ts'

test('a named pipe among the rules is a finding; reading it would never end', () => {
  const root = writeFolder({ 'builders/acme.yaml': builder(), 'builders/acme.test.yaml': TEST })
  execFileSync('mkfifo', [join(root, 'builders/pipe.yaml')])
  const found = findingsOf(root).filter(({ code }) => code === 'stray-file')
  expect(found.map(placeOf)).toEqual(['builders/pipe.yaml:1:1 stray-file'])
  expect(found.map(({ sentence }) => sentence)).toEqual([expect.stringMatching(/it is not a regular file$/)])
})
