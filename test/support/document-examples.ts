import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { projectFolder } from '../../src/rules/built.ts'

/** README.md and every document of `docs/`, as paths from the project's root. */
export function listDocuments(): string[] {
  return ['README.md', ...readdirSync(join(projectFolder(), 'docs')).map((file) => `docs/${file}`)]
}

/** The code that a document shows after `<!-- example:name -->`. @throws when not exactly one document has such an example */
export function documentExample(name: string): string {
  return findCode(`<!-- example:${name} -->`)
}

/** The code in a generated part of a document. @throws when not exactly one document has such a part */
export function documentPart(name: string): string {
  return findCode(`<!-- generated:${name} -->`)
}

function findCode(mark: string): string {
  const pattern = new RegExp(`${mark}\\s*\`\`\`\\w+\\n(.*?)\`\`\``, 'gs')
  const found = listDocuments().flatMap((file) => [
    ...readFileSync(join(projectFolder(), file), 'utf8').matchAll(pattern),
  ])
  if (found.length !== 1) throw new Error(`${found.length} documents have ${mark} with a code fence after it: one must`)
  return found[0][1]
}
