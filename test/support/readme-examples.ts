import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { projectFolder } from '../../src/rules/built.ts'

/** The code that README.md shows after `<!-- example:name -->`. @throws when it shows none */
export function readmeExample(name: string): string {
  return codeAfter(`<!-- example:${name} -->`)
}

/** The code in a part of README.md that is made from the code of the project. @throws when it shows none */
export function readmePart(name: string): string {
  return codeAfter(`<!-- generated:${name} -->`)
}

function codeAfter(mark: string): string {
  const readme = readFileSync(join(projectFolder(), 'README.md'), 'utf8')
  const [, code] = new RegExp(`${mark}\\s*\`\`\`\\w+\\n(.*?)\`\`\``, 's').exec(readme) ?? []
  if (code === undefined) throw new Error(`README.md has no ${mark} with a code fence after it`)
  return code
}
