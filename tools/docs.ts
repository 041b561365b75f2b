import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { defineCommand, EXIT, readArgs } from '../src/cli/command/command.ts'
import { runMain } from '../src/cli/command/run-main.ts'
import { projectFolder } from '../src/rules/built.ts'
import { checkDocs, type GeneratedDoc, generateDocs } from './generated-docs.ts'
import { findGenerators } from './generators-folder.ts'
import { formatPythonTypes, PYTHON_TYPES } from './python-types.ts'

const HELP = `
Checks or updates the parts of the documentation that are generated from the code: tables of places, findings, settings,
plans and errors, closed lists, the result of the example, the JSON Schemas for editors, and the types of the clients. Those of
the client in Python need tools/generators.sh install, and are skipped without it.

  tools/run docs            Lists documents that are out of date.
  tools/run docs --write    Updates them.

Exit code: 0 up to date, 1 out of date, 2 wrong usage or another error.
`

const main = defineCommand(HELP, async (args) => {
  const { values } = readArgs({ args, options: { write: { type: 'boolean', default: false } } })
  const root = projectFolder()
  const docs = await generateDocs(root)
  docs.push(...(await generatePythonTypes(root, docs)))
  const stale = docs.filter(({ text, wanted }) => text !== wanted)
  if (values.write) for (const { file, wanted } of stale) writeFileSync(join(root, file), wanted)
  const problems = values.write ? docs.flatMap((doc) => doc.problems) : checkDocs(docs)
  for (const problem of problems)
    process.stdout.write(`${problem}
`)
  const done = values.write ? `${stale.length} of ${docs.length} documents written` : `${docs.length} documents checked`
  process.stderr.write(`${done}: ${problems.length === 0 ? 'up to date' : `${problems.length} problems`}
`)
  return problems.length === 0 ? EXIT.ok : EXIT.findings
})

/** The types of the client in Python, from the document as it should be; nothing without the generator. */
async function generatePythonTypes(root: string, docs: readonly GeneratedDoc[]): Promise<GeneratedDoc[]> {
  const generators = findGenerators('the types of the client in Python')
  const document = docs.find(({ file }) => file === 'clients/openapi.json')
  if (generators === null || document === undefined) return []
  const file = join(root, PYTHON_TYPES)
  const text = existsSync(file) ? readFileSync(file, 'utf8') : ''
  return [{ file: PYTHON_TYPES, text, wanted: await formatPythonTypes(document.wanted, generators), problems: [] }]
}

await runMain(main, process.argv.slice(2))
