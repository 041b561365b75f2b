import { availableParallelism } from 'node:os'
import { loadConfig } from '../config/config.ts'
import { EXTRAS } from '../engine/verdict/result.ts'
import { EVIDENCE } from '../fetch/side-evidence.ts'
import { type Extra, openDetector, type PageDetector } from '../index.ts'
import { LIVE_EXTRAS } from '../scan/extras.ts'
import { scanBatch } from './batch.ts'
import { checkFiles } from './check-files.ts'
import { type CommandIo, defineCommand, EXIT, readArgs, readTimeout, UsageError } from './command.ts'
import { scanBulk } from './live-bulk.ts'
import { scanOne } from './live-scan.ts'
import { scanSaved } from './scan-saved.ts'

const HELP = `
Detects what a website is made with: a live site, or a saved page.

  npm run -s scan -- https://example.org [--include evidence,versions,infrastructure,timing,warnings,meta]
      Scans a live site and prints the result as JSON.

  npm run -s scan -- URL URL … | --urls file.txt [--out out.jsonl|out.csv] [--concurrency 8] [--resume] [--include …]
      Scans many sites. The file has one URL per line; lines that begin with # are ignored. Prints one line per site as soon as
      it is done: {url, result} or {url, error, code}. Each host is scanned by one scan at a time, with a pause of 1 second; the
      same holds for hosts that redirects lead to. --out is overwritten, unless --resume continues it: sites that failed count
      as done. Ctrl-C keeps everything that is done.

  --allow address[/bits][:port]   opens a local address (IPv6 in brackets; may be repeated)
  --skip dns,tls,robots,favicon   leaves out parts of the side evidence

  npm run -s scan -- --html page.html [--url U] [--headers h.json] [--include evidence,versions,warnings]
      Scans a saved page. --url is its address, --headers a JSON file: {name: value} or [[name, value], …].

  npm run -s scan -- --har file.har [--include …]
      Scans the main document of a HAR file, with its headers.

  npm run -s scan -- --batch in.jsonl[.gz] | --warc in.warc[.gz] [--out out.jsonl] [--include …]
      Scans many saved pages. --batch reads one per line: {id, url?, status?, headers?, html?, scripts?, styles?}, headers as
      [[name, value], …], scripts and styles as [{url, text}, …];
      --warc reads every HTML response. Prints one line per page, in the same order: {id, result}, or {id or line, error, code}.

  --timeout 10   seconds that one saved page may take; a run continues with the next page

Settings (environment): RULES_DIRS and DETECTORS, further rules and detectors; SCAN_ALLOW, SCAN_PORTS and SCAN_DENY, which
addresses may be scanned; CONTACT_URL, the contact in the User-Agent.
Exit code: 0 success, 1 at least one item failed, 2 wrong usage or failure, 130 stopped by Ctrl-C.
`

const text = { type: 'string' } as const
const OPTIONS = {
  html: text,
  url: text,
  headers: text,
  har: text,
  batch: text,
  warc: text,
  urls: text,
  out: text,
  include: text,
  timeout: text,
  concurrency: text,
  skip: text,
  allow: { type: 'string', multiple: true },
  resume: { type: 'boolean' },
} as const
type Values = Readonly<Partial<Record<keyof typeof OPTIONS, string | string[] | boolean>>>

/** The options that each mode accepts in addition to its input. */
const MODES = {
  html: ['url', 'headers', 'include', 'timeout'],
  har: ['include', 'timeout'],
  batch: ['out', 'include', 'timeout'],
  warc: ['out', 'include', 'timeout'],
  urls: ['out', 'include', 'concurrency', 'resume', 'allow', 'skip'],
  live: ['include', 'allow', 'skip'],
} as const satisfies Record<string, readonly (keyof typeof OPTIONS)[]>
type Mode = keyof typeof MODES

export const main = defineCommand(HELP, async (args, io) => {
  const { values, positionals } = readArgs({ args, allowPositionals: true, options: OPTIONS })
  const mode = findMode(values, positionals)
  checkOptions(mode, values)
  const config = loadConfig(io.env)
  if (mode === 'live' || mode === 'urls') {
    const allow = values.allow ?? []
    const skip = readList('skip', values.skip, EVIDENCE)
    const live = { config, allow, skip, include: readList('include', values.include, LIVE_EXTRAS) }
    if (mode === 'live') return scanOne(positionals[0], live, io)
    const { concurrency = '8', urls, out, resume = false } = values
    if (!/^[1-9]\d{0,2}$/.test(concurrency)) throw new UsageError('--concurrency must be a number from 1 to 999')
    await checkFiles(values)
    return scanBulk({ ...live, positionals, urls, out, resume, concurrency: Number(concurrency) }, io)
  }
  const include = readList('include', values.include, EXTRAS)
  await checkFiles(values)
  return scanOffline(mode, { ...values, include, folders: config.ruleFolders, detectors: config.detectorModules }, io)
})

interface OfflineOptions
  extends Readonly<Partial<Record<'html' | 'har' | 'url' | 'headers' | 'batch' | 'warc', string>>> {
  readonly out?: string
  readonly timeout?: string
  readonly include: readonly Extra[]
  readonly folders: readonly string[]
  readonly detectors: readonly string[]
}

type OfflineMode = Exclude<Mode, 'live' | 'urls'>

/** Scans saved pages in workers, so that a page that takes too long does not affect the others. */
async function scanOffline(mode: OfflineMode, options: OfflineOptions, io: CommandIo): Promise<number> {
  const { out, timeout = '10', include, folders, detectors } = options
  const threads = mode === 'html' || mode === 'har' ? 1 : Math.min(4, Math.max(1, availableParallelism() - 1))
  const timeoutMs = readTimeout(timeout)
  const open = (): Promise<PageDetector> => openDetector({ folders, detectors, threads, timeoutMs })
  if (mode === 'html' || mode === 'har') return await scanSaved({ ...options, openDetector: open }, io)
  const input = String(options[mode])
  const detector = await open()
  try {
    const { pages, failed } = await scanBatch({ input, format: mode, output: out, include, detector, threads }, io)
    io.stderr.write(`${pages} pages, ${failed} failed\n`)
    return failed > 0 ? EXIT.findings : EXIT.ok
  } finally {
    await detector.close()
  }
}

/** Finds the mode that the options and the positional arguments select. */
function findMode(values: Values, positionals: readonly string[]): Mode {
  const named = (['html', 'har', 'batch', 'warc', 'urls'] as const).filter((mode) => values[mode] !== undefined)
  if (named.length > 1) throw new UsageError(`--${named[0]} cannot be combined with --${named[1]}: use one of them`)
  if (named.length === 1 && named[0] !== 'urls' && positionals.length > 0)
    throw new UsageError(`unexpected argument "${positionals[0]}": --${named[0]} already names the input`)
  if (named.length === 0 && positionals.length === 0)
    throw new UsageError('give a URL, or one of --urls, --html, --har, --batch, --warc')
  return named.at(0) ?? (positionals.length > 1 || values.out !== undefined ? 'urls' : 'live')
}

function checkOptions(mode: Mode, values: Values): void {
  for (const key of Object.keys(values))
    if (key !== mode && !(MODES[mode] as readonly string[]).includes(key))
      throw new UsageError(`--${key} cannot be used with ${mode === 'live' ? 'a single URL' : `--${mode}`}`)
  if ((mode === 'batch' || mode === 'warc') && /\.csv$/i.test(String(values.out)))
    throw new UsageError(`--${mode} writes JSON lines: --out must not end in .csv`)
  if (/\.gz$/i.test(String(values.out))) throw new UsageError('--out is not compressed: its name must not end in .gz')
  if (values.resume && values.out === undefined)
    throw new UsageError('--resume continues an output file: name it with --out')
}

function readList<T extends string>(option: string, given: string | undefined, known: readonly T[]): T[] {
  const wanted = (given ?? '')
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean)
  for (const one of wanted)
    if (!known.includes(one as T))
      throw new UsageError(`--${option} does not accept "${one}": use one or more of ${known.join(', ')}`)
  return wanted as T[]
}
