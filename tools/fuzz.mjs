// Runs the property tests again and again, each time with another seed and more cases, until one fails or the time is over.
// usage: node tools/fuzz.mjs [--seconds N] [--seed N] [--runs N] [part of the path of a test file …]
import { spawnSync } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { parseArgs } from 'node:util'

const USAGE = `usage: node tools/fuzz.mjs [--seconds N] [--seed N] [--runs N] [part of the path of a test file …]
  --seconds N  starts new rounds for this time; 60 by default
  --seed N     runs one round with this seed, to repeat a failure
  --runs N     multiplies the number of cases of each property; 10 by default\n`

/** A seed of fast-check is a 32-bit integer. */
const MAX_SEED = 2 ** 31 - 1

/** A mistake in the arguments. */
class FuzzUsageError extends Error {}

function readNumber(name, text, most) {
  if (text === undefined) return undefined
  const number = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN
  if (number <= most) return number
  throw new FuzzUsageError(`--${name} must be an integer from 0 to ${most}, not "${text}"`)
}

function readArguments() {
  const option = { type: 'string' }
  const options = { seconds: option, seed: option, runs: option }
  try {
    const { values, positionals } = parseArgs({ options, allowPositionals: true })
    return {
      seconds: readNumber('seconds', values.seconds, 1_000_000) ?? 60,
      seed: readNumber('seed', values.seed, MAX_SEED),
      runs: Math.max(1, readNumber('runs', values.runs, 10_000) ?? 10),
      files: findFiles(positionals),
    }
  } catch (error) {
    if (error instanceof FuzzUsageError || error.code?.startsWith('ERR_PARSE_ARGS')) {
      process.stderr.write(`${error.message}\n${USAGE}`)
      process.exit(2)
    }
    throw error
  }
}

/** Finds the test files with property tests, because Vitest would import all files to find the tests with the tag. */
function findFiles(parts) {
  const files = readdirSync('test', { recursive: true, encoding: 'utf8' })
    .map((name) => join('test', name))
    .filter((file) => /\.(?:test|system|timed)\.ts$/.test(file))
    .filter((file) => parts.length === 0 || parts.some((part) => file.includes(part)))
    .filter((file) => /tags: \['property'\]/.test(readFileSync(file, 'utf8')))
  if (files.length === 0)
    throw new FuzzUsageError(`No file with a property test has ${parts.join(' or ')} in its path.`)
  return files
}

/** Runs the property tests once. @returns the output of Vitest, and the files and tests that failed; none if all passed */
function runRound(files, { seed, runs }) {
  const folder = mkdtempSync(join(tmpdir(), 'siteprint-fuzz-'))
  const report = join(folder, 'report.json')
  const vitest = join(createRequire(import.meta.url).resolve('vitest/package.json'), '..', 'vitest.mjs')
  const projects = ['unit', 'system', 'timed'].flatMap((name) => ['--project', name])
  try {
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      [vitest, 'run', ...projects, '--tags-filter', 'property', ...files],
      {
        encoding: 'utf8',
        env: { ...process.env, FUZZ_SEED: `${seed}`, FUZZ_RUNS: `${runs}`, TEST_REPORT: report },
        maxBuffer: 2 ** 30,
        stdio: ['ignore', 'pipe', 'pipe'],
      },
    )
    return { passed: status === 0, output: stdout + stderr, failures: existsSync(report) ? readFailures(report) : [] }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Reads which tests failed. */
function readFailures(report) {
  const { testResults } = JSON.parse(readFileSync(report, 'utf8'))
  return testResults.flatMap(({ name, assertionResults }) =>
    assertionResults
      .filter(({ status }) => status === 'failed')
      .map(({ fullName }) => ({ file: relative(process.cwd(), name), test: fullName })),
  )
}

function reportFailure({ output, failures }, { seed, runs }) {
  if (failures.length === 0) {
    process.stderr.write(`${output}\nVitest failed before it ran the tests.\n`)
    process.exit(2)
  }
  const files = [...new Set(failures.map(({ file }) => file))]
  const names = failures.map(({ file, test }) => `  ${file}: ${test}\n`).join('')
  process.stdout.write(
    `${output}\nSeed ${seed} fails:\n${names}Repeat it with: node tools/fuzz.mjs --seed ${seed} --runs ${runs} ${files.join(' ')}\n` +
      'Correct the code, and add the case as a test of its own with fixed values: the next seeds will not find it again.\n',
  )
}

const { seconds, seed: given, runs, files } = readArguments()
const endAt = Date.now() + seconds * 1000
let rounds = 0
do {
  const seed = given ?? randomInt(MAX_SEED)
  const startedAt = Date.now()
  const round = runRound(files, { seed, runs })
  if (!round.passed) {
    reportFailure(round, { seed, runs })
    process.exit(1)
  }
  rounds++
  process.stdout.write(`Seed ${seed}: passed in ${Math.round((Date.now() - startedAt) / 1000)} s\n`)
} while (given === undefined && Date.now() < endAt)
process.stdout.write(`No failure in ${rounds} ${rounds === 1 ? 'round' : 'rounds'} of ${files.length} files\n`)
