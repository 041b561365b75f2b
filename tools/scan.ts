import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { loadConfig } from '../src/config.ts'
import { EXTRAS } from '../src/engine/result.ts'
import { buildPage, detect, type Extra, loadRuleset, type PageInput, toResult } from '../src/index.ts'
import { scanBatch } from './batch.ts'
import { checkAddress, EXIT, runCommand, UsageError } from './command.ts'

const HELP = `
Tells what a saved page is made with.

  npm run -s scan -- --html page.html [--url U] [--headers h.json] [--include evidence,versions,warnings]
      Prints the result as JSON. --url is the address the page came from, --headers a JSON file: {name: value} or [[name, value], …].

  npm run -s scan -- --batch in.jsonl[.gz] [--out out.jsonl] [--include …]
      One page a line: {id, url?, status?, headers?, html?}, headers as [[name, value], …].
      One answer a line, in the same order: {id, result}, or {id or line, error, code}.

Settings (environment): RULES_DIRS, folders with rules beside ours; DETECTORS, modules with detectors beside ours.
Exit code: 0 fine, 1 a line of a batch failed, 2 bad use or nothing could be done.
`

const text = { type: 'string' } as const
const OPTIONS = { html: text, url: text, headers: text, batch: text, out: text, include: text }

await runCommand(HELP, async (args) => {
  const { values, positionals } = parseArgs({ args, allowPositionals: true, options: OPTIONS })
  checkUse(values, positionals)
  const include = readInclude(values.include)
  const { ruleFolders, detectorModules } = loadConfig()
  const ruleset = await loadRuleset({ folders: ruleFolders, detectors: detectorModules })
  if (values.batch !== undefined) {
    const { pages, failed } = await scanBatch({
      input: values.batch,
      ...(values.out && { output: values.out }),
      include,
      ruleset,
    })
    process.stderr.write(`${pages} pages, ${failed} failed\n`)
    return failed > 0 ? EXIT.findings : EXIT.fine
  }
  const page = buildPage({
    html: await readFile(values.html as string),
    ...(await readAnswer(values.url, values.headers)),
  })
  const verdict = detect(ruleset, page)
  if (!include.includes('warnings')) for (const warning of verdict.warnings) process.stderr.write(`${warning}\n`)
  process.stdout.write(`${JSON.stringify(toResult(verdict, include), null, 2)}\n`)
  return EXIT.fine
})

function checkUse(
  values: Readonly<Partial<Record<keyof typeof OPTIONS, string>>>,
  positionals: readonly string[],
): void {
  if (positionals.length > 0)
    throw new UsageError(`"${positionals[0]}" is too much: name a file with --html or --batch`)
  if ((values.html === undefined) === (values.batch === undefined))
    throw new UsageError('give either --html FILE or --batch FILE')
  const foreign = values.batch === undefined ? (['out'] as const) : (['url', 'headers'] as const)
  for (const key of foreign)
    if (values[key] !== undefined)
      throw new UsageError(`--${key} does not go with --${values.batch === undefined ? 'html' : 'batch'}`)
  if (values.out !== undefined && resolve(values.out) === resolve(String(values.batch)))
    throw new UsageError('--out would overwrite the file that --batch reads')
}

async function readAnswer(url: string | undefined, headersFile: string | undefined): Promise<PageInput> {
  checkAddress(url)
  if (headersFile === undefined) return { ...(url && { url }) }
  let headers: unknown
  try {
    headers = JSON.parse((await readFile(headersFile, 'utf8')).replace(/^\ufeff/, ''))
  } catch (error) {
    if (error instanceof SyntaxError) throw new UsageError(`${headersFile} is no JSON: ${error.message}`)
    throw error
  }
  if (!areHeaders(headers))
    throw new UsageError(`${headersFile} must hold {name: value} or [[name, value], …], values text or lists of text`)
  return { ...(url && { url }), headers: headers as PageInput['headers'] }
}

function areHeaders(headers: unknown): boolean {
  if (typeof headers !== 'object' || headers === null) return false
  const isText = (value: unknown): boolean => typeof value === 'string'
  if (Array.isArray(headers))
    return headers.every((pair) => Array.isArray(pair) && pair.length === 2 && pair.every(isText))
  return Object.values(headers).every((value) => isText(value) || (Array.isArray(value) && value.every(isText)))
}

function readInclude(text: string | undefined): Extra[] {
  const wanted = (text ?? '')
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean)
  for (const extra of wanted)
    if (!EXTRAS.includes(extra as Extra))
      throw new UsageError(`--include has no "${extra}": it takes ${EXTRAS.join(', ')}`)
  return wanted as Extra[]
}
