import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { fixRule } from '../../src/authoring/fix-rule.ts'
import { projectFolder } from '../../src/rules/built.ts'
import { discoverRules } from '../../src/rules/discover.ts'
import { splitDocuments } from '../../src/yaml/documents.ts'

test('no rule of the project needs a correction of `lint --fix`', () => {
  const files = discoverRules(join(projectFolder(), 'rules')).rules.map(({ file }) => file)
  const wrong = files.filter((file) => {
    const text = splitDocuments(readFileSync(file, 'utf8')).first
    return fixRule(text, []) !== text
  })
  expect([files.length > 300, wrong]).toEqual([true, []])
})
