import { appendFileSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { type CommandIo, defineCommand, EXIT, readArgs, readTimeout, UsageError } from '../src/cli/command/command.ts'
import { runMain } from '../src/cli/command/run-main.ts'
import { projectFolder } from '../src/rules/built.ts'
import { type MutantVerdict, TIME_LIMIT } from './mutation/judge.ts'
import { type Measurement, measureMutants } from './mutation/measure.ts'

/** Folder → the share of its mutants that the tests must catch, in percent. */
const FLOORS: ReadonlyMap<string, number> = new Map([
  ['src/engine', 80],
  ['src/rules', 70],
  ['src/authoring', 70],
  ['src/detector', 70],
  ['plugins', 80],
  ['src/http', 70],
  ['src/service', 70],
  ['src/store', 70],
  ['src/fetch', 70],
  ['src/cli', 70],
  ['src/coordination', 70],
  ['src/accounts', 70],
  ['src/keys', 70],
  ['src/scan', 70],
])

const HELP = `
Plants small changes (mutants) in the sources, one at a time, and runs the tests of npm test that are closest to each of them:
a test should fail. Prints the mutants that no test notices, and the share that is caught in each folder. The seed and the text
of a line decide which mutants are drawn, so that a change elsewhere draws the same ones.

  tools/run mutation                               The sample of npm run check -- mutation.
  tools/run mutation --coverage --sample 40        A large sample, of all folders.
  tools/run mutation --coverage --seed 7 src/fetch Another sample, of one folder.

  --seed N      draws other mutants; 1 by default
  --sample N    mutants of each folder; 6 by default
  --tests N     test files that run for each mutant; 3 by default, 12 with --coverage
  --coverage    runs all tests once, to learn which of them reach each mutant; otherwise, imports decide
  --lanes N     processes; by default one per core
  --timeout N   time limit of the tests of one mutant in seconds, 30 by default, on a machine that does nothing else: it grows
                with the load. A mutant that exceeds it counts as caught
  --out FILE    writes all verdicts to a file, as JSON Lines

Exit code: 0 caught often enough, 1 not, 2 wrong usage or another error.
`

const main = defineCommand(HELP, async (args, io) => {
  const { measurement, out } = readMeasurement(args, io)
  if (out !== undefined) writeFileSync(out, '')
  const verdicts: MutantVerdict[] = []
  for await (const verdict of measureMutants(measurement)) {
    verdicts.push(verdict)
    if (verdict.caughtBy === null) io.stdout.write(`${formatSurvivor(verdict)}\n`)
    if (out !== undefined) appendFileSync(out, `${JSON.stringify(verdict)}\n`)
  }
  const shares = measurement.folders.map((folder) => measureShare(folder, verdicts))
  for (const { text } of shares) io.stdout.write(`${text}\n`)
  return shares.every(({ isEnough }) => isEnough) ? EXIT.ok : EXIT.findings
})

function readMeasurement(args: string[], { env }: CommandIo): { measurement: Measurement; out: string | undefined } {
  const number = { type: 'string' } as const
  const options = {
    seed: number,
    sample: number,
    tests: number,
    lanes: number,
    timeout: { type: 'string', default: '30' },
    coverage: { type: 'boolean', default: false },
    out: { type: 'string' },
  } as const
  const { values, positionals } = readArgs({ args, options, allowPositionals: true })
  for (const folder of positionals)
    if (!FLOORS.has(folder)) throw new UsageError(`unknown folder "${folder}": use ${[...FLOORS.keys()].join(', ')}`)
  const measurement: Measurement = {
    root: projectFolder(),
    folders: positionals.length > 0 ? positionals : [...FLOORS.keys()],
    seed: readNumber('seed', values.seed) ?? 1,
    sample: readNumber('sample', values.sample) ?? 6,
    tests: readNumber('tests', values.tests) ?? (values.coverage ? 12 : 3),
    lanes: readNumber('lanes', values.lanes) ?? availableParallelism(),
    timeoutMs: readTimeout(values.timeout),
    recordsCoverage: values.coverage,
    env,
  }
  return { measurement, out: values.out }
}

function readNumber(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  if (!/^[1-9]\d{0,5}$/.test(text)) throw new UsageError(`--${name} must be an integer from 1 to 999999, not "${text}"`)
  return Number(text)
}

/** Formats a mutant as `file:line original → replacement`. */
function formatSurvivor({ mutant: { file, line, original, replacement } }: MutantVerdict): string {
  const shown = [original, replacement].map((text) => {
    const [first, ...more] = text.split('\n')
    return more.length > 0 ? `${first} …` : first
  })
  return `${file}:${line} ${shown.join(' → ')}`
}

function measureShare(folder: string, verdicts: readonly MutantVerdict[]): { text: string; isEnough: boolean } {
  const own = verdicts.filter(({ mutant }) => mutant.file.startsWith(`${folder}/`))
  const caught = own.filter(({ caughtBy }) => caughtBy !== null).length
  const floor = FLOORS.get(folder) ?? 0
  const share = own.length === 0 ? 100 : (100 * caught) / own.length
  const isEnough = share >= floor
  const endless = own.filter(({ caughtBy }) => caughtBy === TIME_LIMIT).length
  const text = [
    `${folder}: ${caught} of ${own.length} mutants caught (${share.toFixed(0)} %)`,
    ...(endless > 0 ? [`${endless} of them by the time limit`] : []),
    ...(isEnough ? [] : [`but at least ${floor} % are required`]),
  ].join(', ')
  return { text, isEnough }
}

// The copy of the project and the processes that run tests are removed at the exit.
process.once('SIGINT', () => process.exit(130))
process.once('SIGTERM', () => process.exit(143))
await runMain(main, process.argv.slice(2))
