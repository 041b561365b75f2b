#!/usr/bin/env node
// The command `siteprint` of the package.
import { readFileSync } from 'node:fs'
import { EXIT } from './cli/command/command.ts'
import { runMain } from './cli/command/run-main.ts'
import { COMMANDS } from './cli/commands.ts'
import { formatChoice } from './yaml/hint.ts'

const HELP = `
Detects what a website is made with: builder, technologies, hosting and type of site.

  siteprint https://example.org              Scans a site. Short for \`siteprint scan\`.
  siteprint scan --html page.html            Scans a saved page.
  siteprint scan --urls sites.txt --out results.jsonl
                                             Scans a list.
  siteprint report results.jsonl             Makes a report of results.
  siteprint serve                            Serves the API and the portal.
  siteprint worker                           Scans the URLs of batches, for servers that share Redis and MongoDB.
  siteprint batches                          Shows and changes lists that a service scans.
  siteprint mcp                              Offers tools to an assistant (MCP over standard input and output).
  siteprint keys | accounts | service        Manages a server: API keys, accounts, health, backup.
  siteprint rules                            Checks, tests and explains fingerprint rules.
  siteprint --version                        Prints the versions of Siteprint and of its rules.

\`siteprint <command> --help\` describes a command. Settings are environment variables, for example RULES_DIRS for rules of your own.
`

const NAMES = [...Object.keys(COMMANDS), 'serve', 'worker']

const [name = '', ...args] = process.argv.slice(2)
if (name === '' || name === '--help' || name === '-h') process.stdout.write(HELP.trimStart())
else if (name === '--version' || name === '-v') process.stdout.write(`${await readVersions()}\n`)
else if (name === 'serve' || name === 'worker') await serve(name, args)
else if (Object.hasOwn(COMMANDS, name)) await run(name, args)
else if (name.startsWith('-') || isSite(name)) await run('scan', [name, ...args])
else {
  process.stderr.write(`unknown command "${name}"${formatChoice(name, NAMES)}\nRun siteprint --help for usage.\n`)
  process.exitCode = EXIT.failed
}

async function run(command: string, given: readonly string[]): Promise<void> {
  const { main } = await COMMANDS[command]()
  await runMain(main, given, 'siteprint')
}

async function serve(command: 'serve' | 'worker', given: readonly string[]): Promise<void> {
  if (given.length > 0) {
    process.stderr.write(
      `siteprint ${command} takes no arguments: its settings are environment variables, see docs/operating.md\n`,
    )
    process.exitCode = EXIT.failed
  } else if (command === 'serve') await import('./main.ts')
  else await import('./worker.ts')
}

/** Whether an argument is a site rather than a mistyped command: it has a scheme, a dot or a port. */
function isSite(text: string): boolean {
  return /[.:/]/.test(text)
}

async function readVersions(): Promise<string> {
  const { findCompiled } = await import('./rules/built.ts')
  const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))
  const file = findCompiled({})
  const ruleset = file === null ? 'rules changed since the build' : `ruleset ${file.version} of ${file.origin.date}`
  return `siteprint ${version}, ${ruleset}`
}
