// A process that runs tests with one mutant after the other, as `judge.ts` tells it to.
import { join } from 'node:path'
import { openTestRunner } from './open-vitest.ts'

/** Sent to a lane: a source file with a mutant, and the test files to run. Without a source, nothing is changed. */
export interface LaneTask {
  readonly file: string
  readonly source: string
  readonly tests: readonly string[]
}

/** Sent by a lane: the first test that failed, or null if all passed. */
export interface LaneResult {
  readonly caughtBy: string | null
}

const [root] = process.argv.slice(2)
let caughtBy: string | null = null
const runner = await openTestRunner(root, {
  bail: 1,
  reporters: [
    {
      onTestCaseResult(test) {
        if (test.result().state === 'failed') caughtBy ??= `${test.module.relativeModuleId}: ${test.fullName}`
      },
      onTestModuleEnd(module) {
        if (module.state() === 'failed') caughtBy ??= module.relativeModuleId
      },
      onTestRunEnd(_, errors) {
        if (errors.length > 0) caughtBy ??= String(errors[0].message)
      },
    },
  ],
})

async function run({ file, source, tests }: LaneTask): Promise<void> {
  caughtBy = null
  // Vitest counts the failures of all runs, and `bail` compares that number.
  runner.vitest.state.filesMap.clear()
  runner.vitest.state.idMap.clear()
  runner.plant(new Map([[join(root, file), source]]))
  const specifications = tests.map((test) => runner.tests.get(test)).filter((one) => one !== undefined)
  await runner.vitest.runTestSpecifications(specifications)
  process.send?.({ caughtBy } satisfies LaneResult)
}

// Runs the global setup, whose time is not that of the first mutant.
await runner.vitest.runTestSpecifications([])
process.on('message', (task: LaneTask) => void run(task))
process.on('disconnect', () => process.exit())
process.send?.({ caughtBy: null } satisfies LaneResult)
