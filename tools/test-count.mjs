// Prints one line with the numbers of a test run, from the file that vitest's JSON reporter wrote: node tools/test-count.mjs <file>
// Exit 1 when there is no report: no test was run, or the run was cut off. Plain JavaScript without packages: `npm ci` may have failed.
import { readFileSync } from 'node:fs'

/**
 * Counts the tests of a report; everything that neither passed nor failed (skipped, todo, pending) is skipped.
 * @param {{ numTotalTests: number, numPassedTests: number, numFailedTests: number }} report
 */
function formatTestCount({ numTotalTests: total, numPassedTests: passed, numFailedTests: failed }) {
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

const report = readReport(process.argv[2] ?? '')
if (report === null) {
  console.error('The test run left no report: the tests were not run, or did not run to their end.')
  process.exitCode = 1
}
console.log(formatTestCount(report ?? { numTotalTests: 0, numPassedTests: 0, numFailedTests: 0 }))
