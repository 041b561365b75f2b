// Makes the table of the networks that rules name: `node tools/start.mjs tools/networks`.
import { execFileSync } from 'node:child_process'
import { createReadStream, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parse } from 'csv-parse'
import { detectors } from '../plugins/index.ts'
import { defineCommand, EXIT, readArgs } from '../src/cli/command/command.ts'
import { runMain } from '../src/cli/command/run-main.ts'
import { type Network, type NetworkRange, NetworkTable, writeNetworkTable } from '../src/networks/network-table.ts'
import { ownFolder, projectFolder } from '../src/rules/built.ts'
import { checkFolders } from '../src/rules/load/load.ts'

const PACKAGE = '@ip-location-db/asn'
const FILE = join(projectFolder(), 'src', 'networks', 'networks.bin')

const HELP = `
Makes src/networks/networks.bin: the address ranges of the networks that rules name, from the npm package ${PACKAGE},
which this downloads (20 MB). Prints what changed for each rule.

  node tools/start.mjs tools/networks [--data FOLDER] [--accept]

  --data FOLDER   the unpacked package, instead of a download
  --accept        also writes the table if operators were renamed or are gone. Read the list first: a network may have been sold.

Exit code: 0 written, 1 operators were renamed or are gone, and nothing was written.
`

const main = defineCommand(HELP, async (args, { stdout }) => {
  const { values } = readArgs({ args, options: { data: { type: 'string' }, accept: { type: 'boolean' } } })
  const work = mkdtempSync(join(tmpdir(), 'siteprint-networks-'))
  try {
    const data = values.data ?? download(work)
    const { version } = JSON.parse(readFileSync(join(data, 'package.json'), 'utf8')) as { version: string }
    const owners = listOwners()
    const { names, ranges } = await readRanges(data, new Set(owners.keys()))
    const former = existsSync(FILE) ? openTable(readFileSync(FILE)) : null
    const problems = findProblems(owners, names, former)
    for (const problem of problems) stdout.write(`${problem}\n`)
    if (problems.length > 0 && !values.accept) return EXIT.findings
    const networks = [...names].map(([asn, name]): Network => ({ asn, name })).sort((a, b) => a.asn - b.asn)
    const origin = { source: `${PACKAGE} ${version}`, date: readDate(version) }
    const bytes = writeNetworkTable(origin, networks, ranges)
    const table = openTable(bytes)
    writeFileSync(FILE, bytes)
    for (const change of listChanges(owners, former, table)) stdout.write(`${change}\n`)
    stdout.write(`${networks.length} networks of ${new Set(owners.values()).size} rules, ${bytes.length} bytes\n`)
    return EXIT.ok
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
})

await runMain(main, process.argv.slice(2))

function download(work: string): string {
  execFileSync('npm', ['pack', PACKAGE, '--silent'], { cwd: work, stdio: ['ignore', 'ignore', 'inherit'] })
  const [archive] = readdirSync(work)
  execFileSync('tar', ['xzf', archive], { cwd: work })
  return join(work, 'package')
}

/** The end of a version is the day of its data: 2.3.2026061719 is of 2026-06-17. */
function readDate(version: string): string {
  const [, year, month, day] = /\.(\d{4})(\d{2})(\d{2})\d*$/.exec(version) ?? []
  if (day === undefined) throw new Error(`the version ${version} of ${PACKAGE} names no day`)
  return `${year}-${month}-${day}`
}

/** Network → the slug of the rule that names it. */
function listOwners(): ReadonlyMap<number, string> {
  const { rules } = checkFolders({ folders: [ownFolder], detectors })
  return new Map(
    rules.flatMap(({ compiled }) =>
      (compiled?.leaves ?? []).flatMap(({ place, words }) =>
        place === 'network'
          ? words.filter((word) => !word.includes('/')).map((word) => [Number(word), compiled?.slug ?? ''] as const)
          : [],
      ),
    ),
  )
}

async function readRanges(
  folder: string,
  wanted: ReadonlySet<number>,
): Promise<{ names: ReadonlyMap<number, string>; ranges: readonly NetworkRange[] }> {
  const names = new Map<number, string>()
  const ranges: NetworkRange[] = []
  for (const file of ['asn-ipv4.csv', 'asn-ipv6.csv'])
    for await (const [from, to, asn, name] of createReadStream(join(folder, file)).pipe(parse())) {
      if (!wanted.has(Number(asn))) continue
      names.set(Number(asn), name)
      ranges.push({ from, to, asn: Number(asn) })
    }
  return { names, ranges }
}

function openTable(bytes: Uint8Array): NetworkTable {
  return new NetworkTable(Uint8Array.from(bytes).buffer)
}

function findProblems(
  owners: ReadonlyMap<number, string>,
  names: ReadonlyMap<number, string>,
  former: NetworkTable | null,
): string[] {
  const before = new Map((former?.networks ?? []).map(({ asn, name }) => [asn, name]))
  return [...owners].flatMap(([asn, slug]) => {
    const name = names.get(asn)
    const known = before.get(asn)
    if (name === undefined) return [`AS${asn} of ${slug}${known === undefined ? '' : ` (${known})`} has no addresses`]
    return known === undefined || known === name ? [] : [`AS${asn} of ${slug} was ${known} and is ${name} now`]
  })
}

/** Ranges by rule, where they are not those of before. */
function listChanges(owners: ReadonlyMap<number, string>, former: NetworkTable | null, table: NetworkTable): string[] {
  const count = (one: NetworkTable | null): Map<string, number> => {
    const counts = new Map<string, number>()
    for (const [asn, ranges] of one?.countRanges() ?? []) {
      const slug = owners.get(asn) ?? `AS${asn}`
      counts.set(slug, (counts.get(slug) ?? 0) + ranges)
    }
    return counts
  }
  const [before, after] = [count(former), count(table)]
  return [...new Set([...before.keys(), ...after.keys()])]
    .sort()
    .filter((slug) => before.get(slug) !== after.get(slug))
    .map((slug) => `${slug}: ${before.get(slug) ?? 0} ranges before, ${after.get(slug) ?? 0} now`)
}
