import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { minifySync } from 'rolldown/utils'

/** Removes the white space and comments of the modules of a folder, a sixth of what a start reads. Names stay, for the stacks of errors. */
export function removeSpace(folder) {
  for (const name of readdirSync(folder).filter((one) => one.endsWith('.js'))) {
    const file = join(folder, name)
    const options = { module: true, compress: false, mangle: false, codegen: { removeWhitespace: true } }
    const { code } = minifySync(name, readFileSync(file, 'utf8'), options)
    writeFileSync(file, code.replace(LAST_EXPORT, '\n$&'))
  }
}

/** The exports of a module, which get a line of their own: publint takes a module for CommonJS if a brace is right before them. */
const LAST_EXPORT = /export\{[^{}]*\};?\s*$/
