import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { projectFolder } from '../../src/rules/built.ts'

interface Lock {
  readonly packages: Readonly<Record<string, { readonly dev?: boolean }>>
}

test('a production install does not contain recheck, which has 58 MB with its jar and binaries and is used only by tests', () => {
  const lock = JSON.parse(readFileSync(join(projectFolder(), 'package-lock.json'), 'utf8')) as Lock
  const found = Object.entries(lock.packages).filter(([name]) => /(?:^|\/)recheck/.test(name))
  expect(found.length).toBeGreaterThan(2)
  expect(found.filter(([, { dev = false }]) => !dev)).toEqual([])
})
