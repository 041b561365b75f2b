import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

// File of a report for scripts, in addition to what is printed. A Vitest that a test starts must not write it too.
const { TEST_REPORT: outputFile, GITHUB_ACTIONS } = process.env
delete process.env.TEST_REPORT

// tools/mutation sets the name of a project, whose tests are then the only ones and need no project: the plugin that plants mutants
// does not reach projects.
const { TEST_PROJECT } = process.env
delete process.env.TEST_PROJECT

// Property tests have the same cases in every run. `node tools/fuzz.mjs` sets another seed, and more cases for each property.
const { FUZZ_SEED = '1', FUZZ_RUNS = '1' } = process.env
const properties = { seed: Number(FUZZ_SEED), runsFactor: Number(FUZZ_RUNS) }

const inSupport = (name: string): string => fileURLToPath(new URL(`test/support/${name}.ts`, import.meta.url))

type Options = NonNullable<TestProjectInlineConfiguration['test']>

/** A project that shares the settings below. Projects run one after the other, in the order of their group. */
function buildProject(name: string, groupOrder: number, options: Options): TestProjectInlineConfiguration {
  return { extends: true, test: { name, sequence: { groupOrder }, ...options } }
}

/** Files of the system suite that mostly wait: for a new minute, timeouts, other processes. */
const LONG = [
  'service/slots.system',
  'tools/packages.system',
  'service/batches.system',
  'store/mongo/unwritable.system',
  'store/mongo/guard.system',
  'accounts/store-failures.system',
  'cli/batches.system',
  'portal/batches-browser.system',
  'updates/rules-keeper.system',
]

/** Begins with the files that take longest, so that none of them is left at the end. Vitest knows how long files took only where they ran before. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification): number => (LONG.some((one) => moduleId.includes(one)) ? 0 : 1)
    const group = ({ project }: TestSpecification): number => project.config.sequence.groupOrder
    const sorted = await super.sort(files)
    return sorted.sort((a, b) => group(a) - group(b) || rank(a) - rank(b))
  }
}

const isShuffled = process.argv.some((one) => one.startsWith('--sequence.shuffle'))
const cores = availableParallelism()
const FEW_OPTIMIZATIONS = '--interrupt-budget=1000000'

const config = defineConfig({
  test: {
    // The files of a worker share their modules, because importing them for each file takes a quarter of the time of all tests.
    // Helpers therefore register cleanups for the current file with test/support/on-file-end.ts.
    isolate: false,
    setupFiles: [inSupport('file-setup')],
    // V8 would optimize many functions that the tests then hardly use: with its default a tenth of all processor time.
    execArgv: [FEW_OPTIMIZATIONS],
    // A limit for tests that hang, far above what any test takes on a machine that is busy with other work.
    testTimeout: 180_000 * properties.runsFactor,
    hookTimeout: 180_000,
    expect: { poll: { timeout: 30_000 } },
    provide: { properties },
    ...(isShuffled ? {} : { sequence: { sequencer: LongestFirst } }),
    tags: [{ name: 'property', description: 'Property tests, which `node tools/fuzz.mjs` runs with new seeds.' }],
    projects: [
      // `npm test`: values and events decide. The stores are embedded, and no process, service or browser is needed.
      buildProject('unit', 0, {
        include: ['test/**/*.test.ts'],
        globalSetup: [inSupport('global-setup'), inSupport('report-skipped')],
        provide: { stores: 'embedded' },
        maxWorkers: cores,
        // A larger young generation takes a twentieth off the time. A thread whose memory is limited would end the process with it.
        execArgv: [FEW_OPTIMIZATIONS, '--max-semi-space-size=32', '--min-semi-space-size=16'],
      }),
      // `npm run test:system`: processes, servers, browsers, network namespaces. The stores are Redis and MongoDB.
      buildProject('system', 1, {
        include: ['test/**/*.system.ts', 'test/**/*.stores.test.ts'],
        globalSetup: [inSupport('global-setup'), inSupport('report-skipped')],
        provide: { stores: 'servers' },
        // Many of these tests wait for processes and timeouts.
        maxWorkers: Math.max(6, cores),
      }),
      // The part of the system suite whose subject is time: one file at a time, while no other test runs.
      buildProject('timed', 2, {
        include: ['test/**/*.timed.ts'],
        globalSetup: [inSupport('global-setup'), inSupport('report-skipped')],
        provide: { stores: 'servers' },
        maxWorkers: 1,
      }),
      // `npm run check -- clients`: clients of the API that common generators make. They need tools/generators.sh install.
      buildProject('clients', 3, {
        include: ['test/**/*.clients.ts'],
        globalSetup: [inSupport('report-skipped')],
        maxWorkers: cores,
      }),
      // `npm run check -- slow`: mistakes planted in rules, both engines on real pages, operations on a service under load.
      buildProject('slow', 4, {
        include: ['test/**/*.{mutations,slow}.ts'],
        globalSetup: [inSupport('global-setup'), inSupport('report-skipped')],
        provide: { stores: 'servers' },
        maxWorkers: Math.max(4, cores),
      }),
    ],
    ...(outputFile && {
      reporters: ['default', ...(GITHUB_ACTIONS ? ['github-actions'] : []), ['json', { outputFile }]],
    }),
  },
})

/** Returns the configuration with the tests of one project alone. */
function selectProject(name: string) {
  const { projects = [], ...shared } = config.test ?? {}
  const [own] = projects.flatMap((project) =>
    typeof project === 'object' && 'test' in project && project.test?.name === name ? [project.test] : [],
  )
  if (own === undefined) throw new Error(`there is no test project "${name}"`)
  const { name: _, ...options } = own
  return defineConfig({ test: { ...shared, ...options, provide: { ...shared.provide, ...options.provide } } })
}

export default TEST_PROJECT === undefined ? config : selectProject(TEST_PROJECT)
