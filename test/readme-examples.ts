import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { projectFolder } from '../src/rules/built.ts'

/** The code that README.md shows after `<!-- example:name -->`. @throws when it shows none */
export function readmeExample(name: string): string {
  const readme = readFileSync(join(projectFolder(), 'README.md'), 'utf8')
  const [, code] = new RegExp(`<!-- example:${name} -->\\s*\`\`\`\\w+\\n(.*?)\`\`\``, 's').exec(readme) ?? []
  if (code === undefined) throw new Error(`README.md has no <!-- example:${name} --> with a code fence after it`)
  return code
}
