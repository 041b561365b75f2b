// Prints one line with the numbers of one or more test runs, from the files that Vitest's JSON reporter wrote: `node
// tools/test-count.mjs <file> [another file…]`. Exit 1 if the first report is missing: no test was run, or the run was
// interrupted. An additional run that was never started is not counted. Uses no packages, because `npm ci` may have
// failed.
import { readFileSync } from 'node:fs'

/** @typedef {{ numTotalTests: number, numPassedTests: number, numFailedTests: number }} Report */

/**
 * Counts the tests of reports. A test that neither passed nor failed (skipped, todo, pending) counts as skipped.
 * @param {Report[]} reports
 */
function formatTestCount(reports) {
  const [total, passed, failed] = ['numTotalTests', 'numPassedTests', 'numFailedTests'].map((name) =>
    reports.reduce((sum, report) => sum + report[name], 0),
  )
  return `tests: ${passed} passed, ${failed} failed, ${total - passed - failed} skipped`
}

/** @param {string} file */
function readReport(file) {
  try {
    const report = JSON.parse(readFileSync(file, 'utf8'))
    return Number.isInteger(report?.numTotalTests) ? report : null
  } catch {
    return null
  }
}

const [first = null, ...others] = process.argv.slice(2).map(readReport)
if (first === null) {
  console.error('The test run left no report: the tests were not run, or did not finish.')
  process.exitCode = 1
}
console.log(formatTestCount([first, ...others].filter((report) => report !== null)))
