import { execFileSync } from 'node:child_process'
import { symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { projectFolder } from '../../src/rules/built.ts'
import { makeTemporaryFolder } from './kit.ts'

const root = projectFolder()

/** Returns the first line of a program's version, or null if the program is not installed. */
export function findVersion(program: string): string | null {
  try {
    return execFileSync(program, ['--version'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).split('\n')[0]
  } catch {
    return null
  }
}

/** A value that must have a type of an installed package. */
export interface TypedValue {
  readonly name: string
  readonly module: string
  readonly type: string
  readonly value: unknown
}

// An enum becomes the union of its values, because JSON contains values.
const PLAIN = `type Plain<T> = T extends string ? \`\${T}\` : T extends number | boolean | null | undefined ? T
  : T extends (infer Entry)[] ? Plain<Entry>[] : T extends object ? { [Key in keyof T]: Plain<T[Key]> } : T`

/**
 * Compares values with types of packages by means of the TypeScript compiler, which also reports unknown keys.
 * Returns its messages, each with the name of the value.
 */
export function findTypeErrors(values: readonly TypedValue[]): string[] {
  const folder = makeTemporaryFolder()
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  const lines = values.map(
    ({ module, type, value }) =>
      `export const value: Plain<import('${module}').${type}> = ${JSON.stringify(value)}\n${PLAIN}\n`,
  )
  const files = values.map(({ name }, i) => `${i}-${name.replace(/\W+/g, '-')}.ts`)
  for (const [i, file] of files.entries()) writeFileSync(join(folder, file), lines[i])
  const options = '--noEmit --strict --skipLibCheck --module nodenext --target es2023 --pretty false'.split(' ')
  try {
    execFileSync(join(root, 'node_modules/.bin/tsc'), [...options, '--types', '', ...files], {
      cwd: folder,
      encoding: 'utf8',
    })
    return []
  } catch (error) {
    const output = error instanceof Error && 'stdout' in error ? String(error.stdout) : String(error)
    return output.split('\n').filter((line) => line !== '')
  }
}
