import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { defineCommand, EXIT, readArgs, UsageError } from '../src/cli/command/command.ts'
import { runMain } from '../src/cli/command/run-main.ts'
import { SetupError } from '../src/errors.ts'
import { type CorpusEntry, parseManifest } from './corpus/manifest.ts'

const HELP = `
Builds a file of pages from public repositories, of which a manifest names the place, the hash and the label of each page.
docs/benchmark.md describes the manifest.

  tools/run corpus check MANIFEST
      Checks the manifest.
  tools/run corpus checkouts MANIFEST --checkouts DIR
      Prints the commands that make the checkouts.
  tools/run corpus build MANIFEST --checkouts DIR --out pages.jsonl.gz
      Reads each page from DIR/OWNER/NAME at its commit, compares its hash and writes the batch file. Lists what is missing.

Exit code: 0 done, 1 pages are missing or differ, 2 wrong usage or another error.
`

const main = defineCommand(HELP, (args, io) => {
  const { values, positionals } = readArgs({
    args,
    options: { checkouts: { type: 'string' }, out: { type: 'string' } },
    allowPositionals: true,
  })
  const [verb, file, ...more] = positionals
  if (!['check', 'checkouts', 'build'].includes(verb) || file === undefined || more.length > 0)
    throw new UsageError('name one of check, checkouts and build, and the manifest')
  const entries = readManifest(file)
  if (verb === 'check') {
    io.stdout.write(
      `${entries.length} pages of ${new Set(entries.map(({ repository }) => repository)).size} repositories\n`,
    )
    return EXIT.ok
  }
  const { checkouts, out } = values
  if (checkouts === undefined) throw new UsageError('--checkouts is missing: it names the folder with the checkouts')
  if (verb === 'checkouts') {
    io.stdout.write(formatCheckouts(entries, checkouts))
    return EXIT.ok
  }
  if (out === undefined) throw new UsageError('--out is missing: it names the file to write')
  const problems: string[] = []
  const lines = entries.flatMap((entry) => readEntry(entry, checkouts, (problem) => problems.push(problem)))
  writeFileSync(out, out.endsWith('.gz') ? gzipSync(lines.join('')) : lines.join(''))
  for (const problem of problems) io.stdout.write(`${problem}\n`)
  io.stderr.write(`${lines.length} of ${entries.length} pages written to ${out}\n`)
  return problems.length === 0 ? EXIT.ok : EXIT.findings
})

await runMain(main, process.argv.slice(2))

function readManifest(file: string): CorpusEntry[] {
  const { entries, problems } = parseManifest(readFileSync(file, 'utf8'))
  if (problems.length > 0) throw new SetupError(problems.map((problem) => `${file}:${problem}`).join('\n'))
  return entries
}

function formatCheckouts(entries: readonly CorpusEntry[], folder: string): string {
  const quote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`
  const repositories = [...new Set(entries.map(({ repository }) => repository))].sort()
  return repositories
    .map((name) => {
      const clone = 'git clone --filter=blob:none --no-checkout'
      return `${clone} https://github.com/${name} ${quote(join(folder, name))}\n`
    })
    .join('')
}

/** Reads a page from its checkout. @returns its line, or nothing after a report of what is wrong */
function readEntry(entry: CorpusEntry, folder: string, report: (problem: string) => void): string[] {
  const { id, repository, commit, path, sha256, url, builder, evidence } = entry
  const checkout = join(folder, repository)
  const { status, stdout, stderr, error } = spawnSync(
    'git',
    ['-C', checkout, 'cat-file', 'blob', `${commit}:${path}`],
    {
      maxBuffer: 64 * 2 ** 20,
    },
  )
  if (status !== 0) {
    report(`${id}: ${checkout} does not have ${commit}:${path}: ${error?.message ?? String(stderr).trim()}`)
    return []
  }
  const actual = createHash('sha256').update(stdout).digest('hex')
  if (actual !== sha256) {
    report(`${id}: the hash of ${path} is ${actual}, but the manifest has ${sha256}`)
    return []
  }
  const expect = { builder, none: builder === null, evidence }
  const source = { repo: repository, commit, path }
  const page = { id, url, status: null, headers: null, html: stdout.toString('utf8'), expect, source }
  return [`${JSON.stringify(page)}\n`]
}
