import { availableParallelism } from 'node:os'
import { loadConfig } from '../config/config.ts'
import { EXTRAS } from '../engine/verdict/result.ts'
import { EVIDENCE } from '../fetch/side-evidence.ts'
import { type Extra, openDetector } from '../index.ts'
import { LIVE_EXTRAS } from '../scan/extras.ts'
import { scanBatch } from './batch.ts'
import { checkFiles } from './check-files.ts'
import { EXIT, readArgs, readTimeout, runCommand, UsageError } from './command.ts'
import { scanBulk } from './live-bulk.ts'
import { scanOne } from './live-scan.ts'
import { scanSaved } from './saved.ts'

const HELP = `
Tells what a website is made with: a live one, or a saved page.

  npm run -s scan -- https://example.org [--include evidence,versions,infrastructure,timing,warnings]
      Scans a live site and prints the result as JSON.

  npm run -s scan -- URL URL … | --urls file.txt [--out out.jsonl|out.csv] [--concurrency 8] [--resume] [--include …]
      Scans many: one URL a line, lines that begin with # left out. One answer a line as each is done: {url, result} or {url, error, code}.
      One scan a host at a time, 1 second apart, hosts that redirects lead to alike. --out is written anew, unless --resume
      goes on where it ends: what failed there counts as done. Ctrl-C keeps what is done.

  --allow address[/bits][:port]   a local site to scan all the same (IPv6 in brackets; may be given again)
  --skip dns,tls,robots,favicon   what not to look at beside the page

  npm run -s scan -- --html page.html [--url U] [--headers h.json] [--include evidence,versions,warnings]
      Scans a saved page. --url is the address it came from, --headers a JSON file: {name: value} or [[name, value], …].

  npm run -s scan -- --har file.har [--include …]
      Scans the main document of a HAR file, with its headers.

  npm run -s scan -- --batch in.jsonl[.gz] | --warc in.warc[.gz] [--out out.jsonl] [--include …]
      Scans saved pages: of --batch one a line, {id, url?, status?, headers?, html?}, headers as [[name, value], …];
      of --warc every HTML response. One answer a line, in the same order: {id, result}, or {id or line, error, code}.

  --timeout 10   seconds that one saved page may take; the run goes on with the next

Settings (environment): RULES_DIRS and DETECTORS, rules and detectors beside ours; SCAN_ALLOW, SCAN_PORTS, SCAN_DENY, whom to
scan; CONTACT_URL, whom the User-Agent names.
Exit code: 0 fine, 1 a line failed, 2 bad use or nothing could be done, 130 stopped by Ctrl-C.
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

/** What each way of scanning takes beside its input. */
const MODES = {
  html: ['url', 'headers', 'include', 'timeout'],
  har: ['include', 'timeout'],
  batch: ['out', 'include', 'timeout'],
  warc: ['out', 'include', 'timeout'],
  urls: ['out', 'include', 'concurrency', 'resume', 'allow', 'skip'],
  live: ['include', 'allow', 'skip'],
} as const satisfies Record<string, readonly (keyof typeof OPTIONS)[]>
type Mode = keyof typeof MODES

await runCommand(HELP, async (args) => {
  const { values, positionals } = readArgs({ args, allowPositionals: true, options: OPTIONS })
  const mode = modeOf(values, positionals)
  const config = loadConfig()
  if (mode === 'live' || mode === 'urls') {
    const live = {
      config,
      allow: values.allow ?? [],
      skip: readList('skip', values.skip, EVIDENCE),
      include: readList('include', values.include, LIVE_EXTRAS),
    }
    if (mode === 'live') return scanOne(positionals[0], live)
    const { concurrency = '8', urls, out, resume = false } = values
    if (!/^[1-9]\d{0,2}$/.test(concurrency)) throw new UsageError('--concurrency must be a number from 1 to 999')
    await checkFiles(values)
    return scanBulk({ ...live, positionals, urls, out, resume, concurrency: Number(concurrency) })
  }
  const include = readList('include', values.include, EXTRAS)
  await checkFiles(values)
  return scanOffline(mode, { ...values, include, folders: config.ruleFolders, detectors: config.detectorModules })
})

interface OfflineOptions
  extends Readonly<Partial<Record<'html' | 'har' | 'url' | 'headers' | 'batch' | 'warc', string>>> {
  readonly out?: string
  readonly timeout?: string
  readonly include: readonly Extra[]
  readonly folders: readonly string[]
  readonly detectors: readonly string[]
}

/** Scans saved pages in workers: a page that takes too long costs itself alone. */
async function scanOffline(mode: Exclude<Mode, 'live' | 'urls'>, options: OfflineOptions): Promise<number> {
  const { out, timeout = '10', include, folders, detectors } = options
  const threads = mode === 'html' || mode === 'har' ? 1 : Math.min(4, Math.max(1, availableParallelism() - 1))
  const detector = await openDetector({ folders, detectors, threads, timeoutMs: readTimeout(timeout) })
  try {
    if (mode === 'html' || mode === 'har') return await scanSaved({ ...options, detector })
    const input = String(options[mode])
    const batch = { input, format: mode, include, detector, threads, ...(out && { output: out }) }
    const { pages, failed } = await scanBatch(batch)
    process.stderr.write(`${pages} pages, ${failed} failed\n`)
    return failed > 0 ? EXIT.findings : EXIT.fine
  } finally {
    await detector.close()
  }
}

/** Which way was asked for; every option has to go with it. */
function modeOf(values: Values, positionals: readonly string[]): Mode {
  const named = (['html', 'har', 'batch', 'warc', 'urls'] as const).filter((mode) => values[mode] !== undefined)
  if (named.length > 1) throw new UsageError(`--${named[0]} does not go with --${named[1]}: give one of them`)
  if (named.length === 1 && named[0] !== 'urls' && positionals.length > 0)
    throw new UsageError(`"${positionals[0]}" is too much: --${named[0]} names what is scanned`)
  if (named.length === 0 && positionals.length === 0)
    throw new UsageError('give a URL, or one of --urls, --html, --har, --batch, --warc')
  const mode: Mode = named.at(0) ?? (positionals.length > 1 || values.out !== undefined ? 'urls' : 'live')
  for (const key of Object.keys(values))
    if (key !== mode && !(MODES[mode] as readonly string[]).includes(key))
      throw new UsageError(`--${key} does not go with ${mode === 'live' ? 'one URL' : `--${mode}`}`)
  if ((mode === 'batch' || mode === 'warc') && /\.csv$/i.test(String(values.out)))
    throw new UsageError(`--${mode} writes lines of JSON: give --out another name than .csv`)
  if (/\.gz$/i.test(String(values.out))) throw new UsageError('--out is written as plain text: leave .gz off its name')
  if (values.resume && values.out === undefined)
    throw new UsageError('--resume goes on with a file: name it with --out')
  return mode
}

function readList<T extends string>(option: string, given: string | undefined, known: readonly T[]): T[] {
  const wanted = (given ?? '')
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean)
  for (const one of wanted)
    if (!known.includes(one as T)) throw new UsageError(`--${option} has no "${one}": it takes ${known.join(', ')}`)
  return wanted as T[]
}
