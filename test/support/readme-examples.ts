import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { projectFolder } from '../../src/rules/built.ts'

/** Returns the code that README.md contains after `<!-- example:name -->`. @throws if there is none */
export function readmeExample(name: string): string {
  return codeAfter(`<!-- example:${name} -->`)
}

/** Returns the code in a generated part of README.md. @throws if there is none */
export function readmePart(name: string): string {
  return codeAfter(`<!-- generated:${name} -->`)
}

function codeAfter(mark: string): string {
  const readme = readFileSync(join(projectFolder(), 'README.md'), 'utf8')
  const [, code] = new RegExp(`${mark}\\s*\`\`\`\\w+\\n(.*?)\`\`\``, 's').exec(readme) ?? []
  if (code === undefined) throw new Error(`README.md has no ${mark} with a code fence after it`)
  return code
}
