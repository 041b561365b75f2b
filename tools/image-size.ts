import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { defineCommand, EXIT } from '../src/cli/command/command.ts'
import { runMain } from '../src/cli/command/run-main.ts'
import { SetupError } from '../src/errors.ts'
import { projectFolder } from '../src/rules/built.ts'

/** What the image may contain in addition to its base, in MB of 1,000,000 bytes. */
const MAX_MB = 250
const MEGABYTE = 1_000_000
const LARGEST = 10

const HELP = `
Counts what the Dockerfile copies into its last stage: the files of the package, and the packages of node_modules that production needs.
No container runtime is needed. Fails if it is more than ${MAX_MB} MB.

  tools/run image-size
`

const main = defineCommand(HELP, (_, io) => {
  const root = projectFolder()
  const own = countPacked(root)
  const packages = listProductionFolders(root)
    .map((name) => ({ name, ...countFolder(join(root, name)) }))
    .sort((a, b) => b.bytes - a.bytes)
  const bytes = packages.reduce((sum, one) => sum + one.bytes, own.bytes)
  const files = packages.reduce((sum, one) => sum + one.files, own.files)
  const lines = [{ name: 'siteprint', ...own }, ...packages.slice(0, LARGEST)].map(formatLine)
  io.stdout.write(`${lines.join('\n')}\n`)
  io.stdout.write(
    `${packages.length} packages and siteprint: ${files} files, ${formatMb(bytes)} of at most ${MAX_MB} MB\n`,
  )
  return bytes <= MAX_MB * MEGABYTE ? EXIT.ok : EXIT.findings
})

await runMain(main, process.argv.slice(2))

interface FolderSize {
  readonly bytes: number
  readonly files: number
}

/** Counts the files that `npm pack` puts into the package. */
function countPacked(root: string): FolderSize {
  const { status, stdout, stderr } = spawnSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 16 * MEGABYTE,
  })
  if (status !== 0) throw new SetupError(`npm pack failed:\n${stderr}`)
  const [{ unpackedSize, entryCount }] = JSON.parse(stdout) as { unpackedSize: number; entryCount: number }[]
  return { bytes: unpackedSize, files: entryCount }
}

/** Lists the folders that `npm prune --omit=dev` leaves, by the lock file, as far as they are installed on this system. */
function listProductionFolders(root: string): readonly string[] {
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    readonly packages: Readonly<Record<string, { readonly dev?: boolean }>>
  }
  const found = Object.entries(lock.packages).filter(([name, { dev = false }]) => name !== '' && !dev)
  return found.map(([name]) => name).filter((name) => existsSync(join(root, name)))
}

/** Counts the files of a package, without the packages below it. */
function countFolder(folder: string): FolderSize {
  let [bytes, files] = [0, 0]
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    if (entry.isDirectory() && entry.name !== 'node_modules') {
      const inner = countFolder(path)
      bytes += inner.bytes
      files += inner.files
    } else if (entry.isFile()) {
      bytes += statSync(path).size
      files++
    }
  }
  return { bytes, files }
}

function formatLine({ name, bytes }: FolderSize & { readonly name: string }): string {
  return `${formatMb(bytes).padStart(9)}  ${name.replace(/^node_modules\//, '')}`
}

function formatMb(bytes: number): string {
  return `${(bytes / MEGABYTE).toFixed(1)} MB`
}
