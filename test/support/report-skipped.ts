import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Path of the file in which the workers note what they skip. */
const FILE_VARIABLE = 'SITEPRINT_TEST_SKIPPED'

/** What a suite needs, and how to get it: `Redis`, `run "tools/services.sh start"`. */
export interface Need {
  readonly what: string
  readonly todo: string
  /** Whether it is outside of the project, so that REQUIRE_SERVICES does not demand it. */
  readonly isForeign?: boolean
}

/** Notes that a suite is skipped. @throws Error if REQUIRE_SERVICES is 1, unless the need is foreign */
export function skipSuite(suite: string, { what, todo, isForeign = false }: Need): void {
  if (process.env.REQUIRE_SERVICES === '1' && !isForeign) throw new Error(`${suite}: needs ${what}; ${todo}`)
  const file = process.env[FILE_VARIABLE]
  if (file !== undefined) appendFileSync(file, `${JSON.stringify({ suite, what, todo })}\n`)
}

/**
 * Returns one line for each thing to do: which suites were skipped for want of it.
 * @param notes lines of `skipSuite`
 */
export function formatSkipped(notes: string): readonly string[] {
  const skipped = notes
    .split('\n')
    .filter(Boolean)
    .map((line): Need & { suite: string } => JSON.parse(line))
  return [...new Set(skipped.map(({ todo }) => todo))].map((todo) => {
    const of = skipped.filter((one) => one.todo === todo)
    const [suites, needs] = [new Set(of.map(({ suite }) => suite)), new Set(of.map(({ what }) => what))]
    return `SKIPPED ${suites.size} ${suites.size === 1 ? 'suite' : 'suites'} without ${[...needs].sort().join(', ')}: ${todo}`
  })
}

/** Prints these lines after the results of all tests. */
export default function setup(): (() => void) | undefined {
  if (process.env[FILE_VARIABLE] !== undefined) return undefined
  const folder = mkdtempSync(join(tmpdir(), 'siteprint-skipped-'))
  const file = join(folder, 'notes')
  process.env[FILE_VARIABLE] = file
  return () => {
    delete process.env[FILE_VARIABLE]
    if (existsSync(file)) for (const line of formatSkipped(readFileSync(file, 'utf8'))) console.warn(line)
    rmSync(folder, { recursive: true, force: true })
  }
}
