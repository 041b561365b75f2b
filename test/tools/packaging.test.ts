import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { projectFolder } from '../../src/rules/built.ts'

interface Lock {
  readonly packages: Readonly<Record<string, { readonly dev?: boolean }>>
}

test('a production install holds no recheck: with its jar and binaries it is 58 MB, for tests alone', () => {
  const lock = JSON.parse(readFileSync(join(projectFolder(), 'package-lock.json'), 'utf8')) as Lock
  const found = Object.entries(lock.packages).filter(([name]) => /(?:^|\/)recheck/.test(name))
  expect(found.length).toBeGreaterThan(2)
  expect(found.filter(([, { dev = false }]) => !dev)).toEqual([])
})
