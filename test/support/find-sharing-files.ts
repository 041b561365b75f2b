import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'

const HOOK = /^(?:after|before)(?:All|Each)\(/m
const IMPORT = /\bfrom '(\.[^']+)'/g

/**
 * Finds the test files that can share their modules with others. A module of the tests that registers hooks when it is imported
 * has to be imported again for each file, because Vitest adds the hooks to the file that imports it.
 * @param root folder of the project
 * @returns paths relative to it
 */
export function findSharingFiles(root: string): string[] {
  const files = readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' })
  const tests = files.filter((file) => file.endsWith('.test.ts')).map((file) => join(root, 'test', file))
  const known = new Map<string, boolean>()
  const hasHooks = (file: string): boolean => {
    const answer = known.get(file)
    if (answer !== undefined) return answer
    known.set(file, false) // A cycle adds nothing.
    const text = readFileSync(file, 'utf8')
    const imports = [...text.matchAll(IMPORT)].map(([, path]) => join(dirname(file), path))
    const isHelper = !file.endsWith('.test.ts')
    const found =
      (isHelper && HOOK.test(text)) || imports.filter((path) => path.startsWith(join(root, 'test'))).some(hasHooks)
    known.set(file, found)
    return found
  }
  return tests.filter((file) => !hasHooks(file)).map((file) => relative(root, file))
}
