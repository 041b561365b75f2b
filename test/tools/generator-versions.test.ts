import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { projectFolder } from '../../src/rules/built.ts'

test('the document names the generator and the TypeScript that clients are tested with', () => {
  const read = (file: string): string => readFileSync(join(projectFolder(), file), 'utf8')
  const { dependencies } = JSON.parse(read('tools/generators/package.json')) as { dependencies: Record<string, string> }
  const packages = ['openapi-typescript', 'typescript'].map((name) => `-p ${name}@${dependencies[name]}`)
  expect(read('docs/api.md')).toContain(`npx ${packages.join(' ')} openapi-typescript `)
})
