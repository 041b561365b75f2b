import { defineCommand, EXIT, readArgs, UsageError } from '../../src/cli/command/command.ts'
import { runMain } from '../../src/cli/command/run-main.ts'
import { measureFaults } from './batches/faults.ts'
import { measureFairness, measurePauses } from './batches/load.ts'
import { measureThroughput } from './batches/throughput.ts'
import { measureWaiting } from './batches/waiting.ts'

const HELP = `
Starts a service on this machine with local sites, and measures its batches. The servers of Redis and MongoDB are its own:
tools/services.sh install provides the programs. Prints JSON on stdout.

  tools/run bench/batches faults [--urls 2000] [--workers 2]
      Kills a worker, an API node, Redis, MongoDB and all workers during a batch, empties Redis, and lets MongoDB have no primary.
      Then each URL must have exactly one line, and the usage must equal the results. --workers 0: a server without Redis and
      MongoDB, which is killed twice. Exit code 1 if a URL is missing, doubled or charged wrongly.
  tools/run bench/batches fairness [--urls 20000] [--workers 2]
      The time of a batch of ten alone, and behind a batch of so many URLs of the same key and of another key.
  tools/run bench/batches throughput [--urls 2000]
      Scans a second of one worker and of two, in turns, with the processor time of each scan. No host has two pages, so there are
      no pauses.
  tools/run bench/batches pauses [--urls 400]
      Scans a second with twenty pages of each host, and the rate that the pauses of a second allow.
  tools/run bench/batches waiting [--urls 100000]
      The memory of Redis, and the latency of cached scans of a service with so many waiting URLs and of an idle one, in turns.

Options of all: --concurrency 16 of each worker, --page-kb 40.
`

const MEASUREMENTS = {
  faults: measureFaults,
  fairness: measureFairness,
  throughput: measureThroughput,
  pauses: measurePauses,
  waiting: measureWaiting,
} as const
const DEFAULT_URLS = { faults: 2000, fairness: 20_000, throughput: 2000, pauses: 400, waiting: 100_000 } as const

const main = defineCommand(HELP, async (args, io) => {
  const { values, positionals } = readArgs({
    args,
    allowPositionals: true,
    options: {
      urls: { type: 'string' },
      workers: { type: 'string', default: '2' },
      concurrency: { type: 'string', default: '16' },
      'page-kb': { type: 'string', default: '40' },
    },
  })
  const [name] = positionals
  if (positionals.length !== 1 || !isMeasurement(name)) {
    io.stderr.write(HELP)
    return EXIT.failed
  }
  const read = (option: string, text: string, min: number): number => {
    const value = Number(text)
    if (Number.isInteger(value) && value >= min) return value
    throw new UsageError(`--${option} must be a whole number from ${min}`)
  }
  const report = await MEASUREMENTS[name]({
    urls: read('urls', values.urls ?? `${DEFAULT_URLS[name]}`, 10),
    workers: read('workers', values.workers, name === 'faults' ? 0 : 1),
    concurrency: read('concurrency', values.concurrency, 1),
    pageKb: read('page-kb', values['page-kb'], 1),
  })
  io.stdout.write(`${JSON.stringify(report, null, 2)}\n`)
  return 'exact' in report && report.exact === false ? EXIT.findings : EXIT.ok
})

function isMeasurement(name: string | undefined): name is keyof typeof MEASUREMENTS {
  return name !== undefined && Object.hasOwn(MEASUREMENTS, name)
}

await runMain(main, process.argv.slice(2))
