import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { defineCommand, EXIT, readArgs } from '../src/cli/command.ts'
import { runMain } from '../src/cli/run-main.ts'
import { projectFolder } from '../src/rules/built.ts'
import { checkDocs, generatedDocs } from './generated-docs.ts'

const HELP = `
Keeps what is made from the code in step with it: tables of places and findings, closed lists, settings,
plans, errors, the example's result, the editor's schemas.

  npm run -s docs               Names what is out of step.
  npm run -s docs -- --write    Writes it anew.

Exit code: 0 in step, 1 out of step, 2 bad use or nothing could be done.
`

const main = defineCommand(HELP, async (args) => {
  const { values } = readArgs({ args, options: { write: { type: 'boolean', default: false } } })
  const root = projectFolder()
  const docs = await generatedDocs(root)
  const stale = docs.filter(({ text, wanted }) => text !== wanted)
  if (values.write) for (const { file, wanted } of stale) writeFileSync(join(root, file), wanted)
  const faults = values.write ? docs.flatMap((doc) => doc.faults) : checkDocs(docs)
  for (const fault of faults) process.stdout.write(`${fault}\n`)
  const done = values.write ? `${stale.length} of ${docs.length} documents written` : `${docs.length} documents read`
  process.stderr.write(`${done}: ${faults.length === 0 ? 'in step' : `${faults.length} faults`}\n`)
  return faults.length === 0 ? EXIT.ok : EXIT.findings
})

await runMain(main, process.argv.slice(2))
