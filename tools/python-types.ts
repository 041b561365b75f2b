import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

export const PYTHON_TYPES = 'clients/python/siteprint/schema.py'

const BANNER = '# Generated from clients/openapi.json by "tools/run docs --write". Do not edit.'
const OPTIONS = [
  ...['--input-file-type', 'openapi', '--output-model-type', 'typing.TypedDict', '--target-python-version', '3.10'],
  ...['--enum-field-as-literal', 'all', '--no-use-closed-typed-dict', '--use-schema-description'],
  ...['--use-field-description', '--use-single-line-docstring', '--formatters', 'builtin'],
  ...['--custom-file-header', BANNER],
]

/**
 * Formats the named components of `clients/openapi.json` as Python types. The dictionaries that they describe may have additional keys,
 * and extensible lists are strings.
 * @param document the text of `clients/openapi.json`
 * @param generators folder of the installed generators
 */
export async function formatPythonTypes(document: string, generators: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'siteprint-types-'))
  try {
    const [input, output] = [join(folder, 'openapi.json'), join(folder, 'schema.py')]
    await writeFile(input, JSON.stringify(adaptSchema(JSON.parse(document))))
    const args = ['-B', '-m', 'datamodel_code_generator', '--input', input, '--output', output, ...OPTIONS]
    await run(join(generators, 'venv/bin/python'), args)
    return adaptImports(await readFile(output, 'utf8'))
  } finally {
    await rm(folder, { recursive: true })
  }
}

/** Moves the values of extensible lists into their descriptions, and drops lengths, for which Python has no types. */
function adaptSchema(part: unknown): unknown {
  if (Array.isArray(part)) return part.map(adaptSchema)
  if (typeof part !== 'object' || part === null) return part
  const { 'x-extensible-enum': known, maxLength, ...rest } = part as Record<string, unknown>
  const adapted = Object.fromEntries(Object.entries(rest).map(([key, value]) => [key, adaptSchema(value)]))
  if (!Array.isArray(known)) return adapted
  return { ...adapted, description: `${adapted.description} Known values: ${known.join(', ')}.` }
}

/** Type checkers have typing_extensions; Python 3.9 and 3.10 would have to install it. Annotations are not evaluated. */
function adaptImports(text: string): string {
  const imports = /^from typing import (.+)\n\nfrom typing_extensions import (.+)\n/m
  const names = imports
    .exec(text)
    ?.slice(1)
    .flatMap((list) => list.split(', '))
  if (names?.sort().join() !== 'Literal,NotRequired,TypeAlias,TypedDict')
    throw new Error(`datamodel-code-generator imports ${names}, which tools/python-types.ts does not expect`)
  const wanted = 'from typing import TYPE_CHECKING, Literal, TypedDict\n\nif TYPE_CHECKING:\n'
  return text.replace(imports, `${wanted}    from typing_extensions import NotRequired, TypeAlias\n`)
}
