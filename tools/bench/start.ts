import { spawn } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { stringify } from 'yaml'
import { detectors } from '../../plugins/index.ts'
import { UsageError } from '../../src/cli/command/command.ts'
import { openPool } from '../../src/detector/worker-pool.ts'
import { ownFolder, projectFolder, writeBuilt } from '../../src/rules/built.ts'
import { computeVersion } from '../../src/rules/fingerprint.ts'
import { checkFolders, throwOnErrors } from '../../src/rules/load/load.ts'
import { packChecked } from '../../src/rules/load/open-ruleset.ts'
import { median } from '../statistics/quantile.ts'
import { generatePages } from './generated-pages.ts'
import { writeMultipliedRules } from './multiplied-rules.ts'

/** The median of the durations, as a multiple of that of `node -e 0`, and the median of the peak memory. */
interface StartLine {
  readonly ms: number
  readonly byNode: number
  readonly peakMb: number
}

interface Ran {
  readonly ms: number
  readonly peakMb: number
}

const root = projectFolder()
const RUN = join(root, 'dist', 'src', 'cli', 'run.js')
const MAIN = join(root, 'dist', 'src', 'main.js')
/** Loaded into each measured process, which writes its peak memory in kB to a pipe. `maxRSS` would include that of its parent. */
const REPORT_PEAK = `const fs = require('node:fs')
process.on('exit', () => fs.writeSync(3, /VmHWM:\\s+(\\d+)/.exec(fs.readFileSync('/proc/self/status', 'utf8'))[1]))`
const RULE = stringify({
  name: 'Tidemarker',
  website: 'https://tidemarker.example',
  detect: [{ script: '.tidemarker.example' }],
  source: 'https://tidemarker.example/docs',
  verified: '2026-11-20',
})
/** Copies of each rule, of which about two thirds are valid. */
const MORE = 13
const LOCAL = '127.0.0.0/8'
const CLIENTS = 12
/** Time for garbage collection. */
const IDLE_MS = 2000
const GREETING = /http:\/\/[^\s/]+/
const KEY = /Bearer (\w+)/

/** One line of the measurement: what is measured, and how. */
type Lines = Readonly<Record<string, () => Promise<object>>>

/** What is measured. */
export interface StartOptions {
  /** At least 7 for figures that are compared. */
  readonly rounds: number
  /** Scans of the service before its memory is read again. */
  readonly scans: number
  /** Only lines whose name contains this text are measured; all with an empty text. */
  readonly only: string
  /** Receives each line as soon as it is measured. */
  readonly print: (line: object) => void
}

/**
 * Measures starts as multiples of `node -e 0`, and memory. Each line runs alternately with `node -e 0`, so that drift affects both.
 * @throws UsageError if no line has the name
 */
export async function measureStart({ only, print, ...options }: StartOptions): Promise<void> {
  const work = mkdtempSync(join(tmpdir(), 'siteprint-bench-'))
  try {
    const lines = Object.entries(new StartBench(work).listLines(options))
    const chosen = lines.filter(([name]) => name.includes(only))
    if (chosen.length === 0)
      throw new UsageError(`no line contains "${only}": ${lines.map(([name]) => name).join('; ')}`)
    for (const [name, measure] of chosen) print({ [name]: await measure() })
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}

class StartBench {
  readonly #work: string
  readonly #env: Readonly<Record<string, string | undefined>>
  #packed: string | undefined

  constructor(work: string) {
    this.#work = work
    this.#env = {
      ...process.env,
      CACHE_DIR: join(work, 'cache'),
      RULES_DIRS: '',
      SCAN_ALLOW: LOCAL,
      LOG_LEVEL: 'error',
    }
    writeFileSync(join(work, 'peak.cjs'), REPORT_PEAK)
  }

  /** Lists all lines, those of ten times the rules last, because these rules take minutes to write and to compile. */
  listLines({ rounds, scans }: Pick<StartOptions, 'rounds' | 'scans'>): Lines {
    const repeat = (run: () => Promise<Ran>) => () => this.#compare(rounds, run)
    const once = (run: () => Promise<Ran>) => () => this.#compare(1, run)
    const page = ['scan', '--html', join(root, 'examples', 'page.html')]
    const lint = [RUN, 'rules', 'lint']
    const test = [RUN, 'rules', 'test']
    return {
      'scan --html': repeat(() => this.#run([RUN, ...page])),
      'keys --help': repeat(() => this.#run([RUN, 'keys', '--help'])),
      'library: import, load, detect': repeat(() => this.#run([this.#writeDetect(root)])),
      'first and tenth page of a worker': () => measureFirstPages(rounds),
      'service: until the first scan is answered': repeat(() => this.#timeFirstScan(MAIN)),
      'memory: idle service, and after scans': () => this.#measureMemory(scans),
      'memory: one more worker': () => this.#measureWorker(rounds),
      'rules lint, nothing changed': repeat(() => this.#run(lint, this.#writeOne())),
      'rules lint, one file changed': repeat(() => this.#run(lint, this.#writeOne({ isChanged: true }))),
      'rules test, one rule': repeat(() => this.#run([...test, 'builder/wix'])),
      'rules test': once(() => this.#run(test)),
      'many rules: scan --html': repeat(() => this.#run([join(this.#pack(), 'dist/src/cli/run.js'), ...page])),
      'many rules: library': repeat(() => this.#run([this.#writeDetect(this.#pack())])),
      'many rules: service': repeat(() => this.#timeFirstScan(join(this.#pack(), 'dist/src/main.js'))),
      'many rules: rules lint, nothing changed': repeat(() => this.#run(lint, this.#writeMany())),
      'many rules: rules test': once(() => this.#run(test, this.#writeMany())),
    }
  }

  /** Runs a process and `node -e 0` alternately, after a first round that fills caches unless there is one round only. */
  async #compare(rounds: number, run: () => Promise<Ran>): Promise<StartLine> {
    const runs: Ran[] = []
    const empty: number[] = []
    for (let round = rounds === 1 ? 0 : -1; round < rounds; round++) {
      const { ms } = await this.#run(['-e', '0'])
      const ran = await run()
      if (round < 0) continue
      empty.push(ms)
      runs.push(ran)
    }
    return toLine(runs, median(empty))
  }

  /** Makes a folder with one rule. */
  #writeOne({ isChanged = false } = {}): string {
    const folder = join(this.#work, 'one')
    const file = join(folder, 'technologies', 'analytics', 'tidemarker.yaml')
    mkdirSync(dirname(file), { recursive: true })
    if (!existsSync(file)) writeFileSync(file, RULE)
    if (isChanged) utimesSync(file, new Date(), new Date())
    return folder
  }

  /** Makes a folder with nine times the rules of the project. */
  #writeMany(): string {
    const folder = join(this.#work, 'many')
    if (!existsSync(folder)) writeMultipliedRules(folder, MORE)
    return folder
  }

  /** Makes an installation whose built file contains ten times the rules, and no YAML, as a package does. */
  #pack(): string {
    if (this.#packed !== undefined) return this.#packed
    const folders = [ownFolder, this.#writeMany()]
    const packed = join(this.#work, 'packed')
    cpSync(join(root, 'dist'), join(packed, 'dist'), { recursive: true })
    cpSync(join(root, 'package.json'), join(packed, 'package.json'))
    symlinkSync(join(root, 'node_modules'), join(packed, 'node_modules'))
    const checked = checkFolders({ folders, detectors })
    throwOnErrors(checked.findings)
    const rules = 'those of several folders'
    const version = computeVersion([rules], detectors)
    const file = join(packed, 'dist', 'ruleset.bin')
    writeBuilt(file, packChecked(checked, detectors, version), { state: '', rules, date: '2026-11-20' })
    this.#packed = packed
    return packed
  }

  /** Writes a program that uses the library of an installation. */
  #writeDetect(installation: string): string {
    const file = join(installation === root ? this.#work : installation, 'detect.mjs')
    const library = pathToFileURL(join(installation, 'dist', 'bundle', 'index.js'))
    writeFileSync(
      file,
      `import { buildPage, detect, loadRuleset } from '${library}'
const ruleset = await loadRuleset()
detect(ruleset, buildPage({ url: 'https://example.org/', html: '<title>a</title>' }))
`,
    )
    return file
  }

  /** Measures by how much the memory of a process grows with each worker, in new processes: one whose workers have ended keeps a part of theirs. */
  async #measureWorker(rounds: number): Promise<object> {
    const mb: number[] = []
    for (let round = 0; round < rounds; round++)
      mb.push(((await this.#measurePool(5)) - (await this.#measurePool(1))) / 4)
    return { mb: Math.round(median(mb) * 10) / 10 }
  }

  /** Starts a process with idle workers, and reads its memory in MB. */
  async #measurePool(threads: number): Promise<number> {
    const file = join(this.#work, 'pool.mjs')
    const module = pathToFileURL(join(root, 'dist', 'src', 'detector', 'worker-pool.js'))
    writeFileSync(
      file,
      `import { openPool } from '${module}'
await openPool({ threads: ${threads}, spares: 0 }).ready
console.log('ready')
setInterval(() => {}, 60_000)
`,
    )
    const child = this.#spawn([file], {})
    await new Promise((resolve, reject) => child.on('error', reject).stdout?.once('data', resolve))
    await sleep(IDLE_MS)
    const mb = readRss(child.pid ?? 0)
    const closed = new Promise((resolve) => child.on('close', resolve))
    child.kill()
    await closed
    return mb
  }

  /** Runs a process to its end. */
  async #run(args: readonly string[], folder = ''): Promise<Ran> {
    const started = performance.now()
    const child = this.#spawn(args, { RULES_DIRS: folder })
    child.stdout?.resume()
    let peak = ''
    child.stdio[3]?.on('data', (text: Buffer) => {
      peak += text.toString()
    })
    const code = await new Promise((resolve, reject) => child.on('error', reject).on('close', resolve))
    if (code === 2) throw new Error(`${args.slice(1).join(' ')} failed`)
    return { ms: performance.now() - started, peakMb: Number(peak) / 1024 }
  }

  #spawn(args: readonly string[], env: object) {
    return spawn(process.execPath, ['--require', join(this.#work, 'peak.cjs'), ...args], {
      cwd: root,
      env: { ...this.#env, ...env },
      stdio: ['ignore', 'pipe', 'ignore', 'pipe'],
    })
  }

  async #timeFirstScan(main: string): Promise<Ran> {
    const started = performance.now()
    const service = await this.#startService(main)
    await service.scan(0)
    const ms = performance.now() - started
    return { ms, peakMb: await service.stop() }
  }

  /** Starts a service with an empty store, and a site with pages of 2 to 200 kB. */
  async #startService(main: string) {
    const pages = ['<title>Tide tables</title>', ...generatePages(40).map(({ html }) => String(html))]
    const site = createServer(({ url }, answer) => {
      const number = Number(/\/page-(\d+)/.exec(url ?? '')?.[1] ?? Number.NaN)
      if (Number.isNaN(number)) answer.writeHead(404).end()
      else answer.setHeader('content-type', 'text/html').end(pages[number % pages.length])
    })
    await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve))
    const { port } = site.address() as AddressInfo
    const plans = join(this.#work, 'plans.yaml')
    writeFileSync(plans, 'free: { perMinute: 1000000, perMonth: 10000000, keys: 1 }\n')
    const child = this.#spawn([main], {
      DATA_DIR: mkdtempSync(join(this.#work, 'data-')),
      PORT: '0',
      PLANS_FILE: plans,
      SCAN_PORTS: String(port),
    })
    const greeting = await new Promise<string>((resolve, reject) => {
      let said = ''
      child.stdout?.on('data', (text: Buffer) => {
        said += text.toString()
        if (KEY.test(said) && GREETING.test(said)) resolve(said)
      })
      child.on('error', reject).on('close', () => reject(new Error(`the service ended: ${said}`)))
    })
    const [url] = GREETING.exec(greeting) ?? []
    const key = KEY.exec(greeting)?.[1]
    let peak = ''
    child.stdio[3]?.on('data', (text: Buffer) => {
      peak += text.toString()
    })
    return {
      scan: async (number: number): Promise<void> => {
        const query = new URLSearchParams({ url: `http://127.0.0.1:${port}/page-${number}` })
        const answer = await fetch(`${url}/api/v1/scan?${query}`, { headers: { authorization: `Bearer ${key}` } })
        if (answer.status !== 200) throw new Error(`scan ${number}: ${answer.status} ${await answer.text()}`)
        await answer.arrayBuffer()
      },
      readMb: (): number => readRss(child.pid ?? 0),
      stop: async (): Promise<number> => {
        const closed = new Promise((resolve) => child.on('close', resolve))
        child.kill('SIGTERM')
        await closed
        site.closeAllConnections()
        site.close()
        return Number(peak) / 1024
      },
    }
  }
  /** Reads the memory of an idle service, and after many scans of different pages, 12 at a time. */
  async #measureMemory(scans: number): Promise<object> {
    const service = await this.#startService(MAIN)
    await service.scan(0)
    await sleep(IDLE_MS)
    const idleMb = service.readMb()
    const left = Array.from({ length: scans }, (_, i) => i + 1).values()
    const work = async (): Promise<void> => {
      for (const number of left) await service.scan(number)
    }
    await Promise.all(Array.from({ length: CLIENTS }, work))
    const afterMb = service.readMb()
    await service.stop()
    return { idleMb, scans, afterMb: scans === 0 ? null : afterMb }
  }
}

function toLine(runs: readonly Ran[], nodeMs: number): StartLine {
  const ms = median(runs.map((one) => one.ms))
  const peakMb = median(runs.map((one) => one.peakMb))
  return { ms: Math.round(ms), byNode: Math.round((ms / nodeMs) * 10) / 10, peakMb: Math.round(peakMb) }
}

/** Measures the first and the tenth page of a pool that has just been opened, in milliseconds. */
async function measureFirstPages(rounds: number): Promise<object> {
  const [page] = generatePages(1)
  const times: number[][] = []
  for (let round = 0; round < rounds; round++) {
    const pool = openPool({ threads: 1, spares: 0 })
    await pool.ready
    const row: number[] = []
    for (let n = 0; n < 10; n++) {
      const started = performance.now()
      await pool.match({ ...page })
      row.push(performance.now() - started)
    }
    times.push(row)
    await pool.close()
  }
  const [firstMs, tenthMs] = [0, 9].map((n) => Math.round(median(times.map((row) => row[n])) * 10) / 10)
  return { firstMs, tenthMs }
}

/** Resident memory of a process in MB. */
function readRss(pid: number): number {
  const [, kb] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return Math.round(Number(kb) / 1024)
}
