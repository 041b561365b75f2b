import { existsSync } from 'node:fs'
import { findBrowserSource } from '../../browser/browser-source.ts'
import type { Renderer, RendererOptions } from '../../browser/renderer.ts'
import type { Config } from '../../config/config.ts'
import type { PoolOptions } from '../../detector/worker-pool.ts'
import { ScanError } from '../../errors.ts'
import { parseAllowed } from '../../fetch/address.ts'
import { EVIDENCE, type EvidenceKind } from '../../fetch/evidence-kinds.ts'
import type { HostLimiter } from '../../fetch/host-limiter.ts'
import { buildPolicy, type Policy } from '../../fetch/policy.ts'
import { openNetworks } from '../../networks/open-networks.ts'
import type { LiveExtra } from '../../scan/extras.ts'
import { toLiveResult } from '../../scan/live-result.ts'
import type { RenderMode } from '../../scan/render-modes.ts'
import { Scanner } from '../../scan/scanner.ts'
import { type CommandIo, EXIT, showsColors, UsageError } from '../command/command.ts'
import { readVersion } from '../command/version.ts'
import { adviseAllow } from './allow-hint.ts'
import { describeVerdict } from './describe-verdict.ts'
import { hasEnded, reportEnded } from './fail-on.ts'
import { formatDocument } from './format-document.ts'
import { scanSite } from './scan-site.ts'
import { parseSite } from './site-list.ts'

export interface LiveOptions {
  readonly config: Config
  /** Entries of `--allow`. */
  readonly allow: readonly string[]
  readonly skip: readonly EvidenceKind[]
  readonly include: readonly LiveExtra[]
  /** How many pages of each site are read; 1 if absent. */
  readonly pages?: number
  /** Whether a browser renders pages. */
  readonly render: RenderMode
  /** Whether a version whose support has ended makes the command fail. */
  readonly failsOnEnded: boolean
  /** Whether a single result is described for a person instead of printed as JSON. */
  readonly isDescribed?: boolean
  /** Whether a single result is printed as a CycloneDX document. */
  readonly isDocument?: boolean
}

/** How long a page may wait for a worker or the browser where no client is waiting: without a practical limit. */
export const MAX_WAIT_MS = 3_600_000

/** Builds the policy of live scans from the settings. */
export function readPolicy(config: Config): Policy {
  return buildPolicy(config, readVersion())
}

/** Builds the policy of a command, with the addresses that it opens. @throws UsageError */
function readScanPolicy({ config, allow }: Pick<LiveOptions, 'config' | 'allow'>): Policy {
  const opened = allow.map((entry) => {
    const address = parseAllowed(entry)
    if (address === null)
      throw new UsageError(`--allow must be address[/bits][:port], IPv6 in brackets, not "${entry}"`)
    return address
  })
  return readPolicy({ ...config, scanAllow: [...config.scanAllow, ...opened] })
}

/** Opens the scanner of live sites. `changes` override what the settings say. */
export async function openScanner(
  {
    config,
    allow,
    skip,
    renderer,
  }: Pick<LiveOptions, 'config' | 'allow' | 'skip'> & { readonly renderer?: Renderer | null },
  { stderr }: Pick<CommandIo, 'stderr'>,
  changes: { readonly policy?: Partial<Policy>; readonly pool?: PoolOptions; readonly hostLimiter?: HostLimiter } = {},
): Promise<Scanner> {
  const policy = { ...readScanPolicy({ config, allow }), ...changes.policy }
  if (config.scanAllow.length > 0) stderr.write('SCAN_ALLOW is set: it opens addresses that are not public\n')
  const evidence = EVIDENCE.filter((kind) => !skip.includes(kind))
  return new Scanner({
    folders: config.ruleFolders,
    detectors: config.detectorModules,
    cache: config.cacheDir,
    networks: await openNetworks(config.networksFile),
    ...(renderer && { renderer }),
    ...changes.pool,
    ...(changes.hostLimiter && { hostLimiter: changes.hostLimiter }),
    policy,
    evidence,
  })
}

/**
 * Prepares the browser that `--render` needs, and starts it; null without this option. Pages are rendered under the policy of the scan.
 * @param more what differs from the rendering of one page
 * @throws UsageError without CHROMIUM and BROWSER_URL; SetupError if it does not start
 */
async function startRenderer(
  { render, ...options }: Pick<LiveOptions, 'config' | 'render' | 'allow'>,
  io: Pick<CommandIo, 'stderr'>,
  more: Partial<Pick<RendererOptions, 'concurrency' | 'limits'>> = {},
): Promise<Renderer | null> {
  if (render === 'never') return null
  const renderer = await buildRenderer(options, io, more)
  if (renderer === null)
    throw new UsageError(
      '--render needs a browser: set CHROMIUM to the file of Chromium, such as /usr/bin/chromium, or BROWSER_URL to the address of one that runs',
    )
  try {
    await renderer.start()
  } catch (error) {
    await renderer.close()
    throw error
  }
  return renderer
}

/** Like `startRenderer`, for pages of a list: no client is waiting, so each may wait for its turn. */
export function startListRenderer(
  options: Pick<LiveOptions, 'config' | 'render' | 'allow'>,
  io: Pick<CommandIo, 'stderr'>,
): Promise<Renderer | null> {
  const { renderConcurrency: concurrency } = options.config
  return startRenderer(options, io, { concurrency, limits: { waitMs: MAX_WAIT_MS } })
}

/** Prepares the browser of CHROMIUM or BROWSER_URL, which starts with its first page; null without these settings. */
export async function buildRenderer(
  { config, allow }: Pick<LiveOptions, 'config' | 'allow'>,
  { stderr }: Pick<CommandIo, 'stderr'>,
  more: Partial<Pick<RendererOptions, 'concurrency' | 'limits'>> = {},
): Promise<Renderer | null> {
  const { chromiumSandbox: sandbox } = config
  const source = findBrowserSource(config)
  if (source === null) return null
  if (!sandbox)
    stderr.write('CHROMIUM_SANDBOX is off: a page that breaks out of Chromium can do what this user can do\n')
  const { Renderer } = await import('../../browser/renderer.ts') // Only what renders needs it.
  return new Renderer({ source, sandbox, policy: readScanPolicy({ config, allow }), concurrency: 1, ...more })
}

/** Scans one site, a URL or a bare domain, and prints its result, or a sentence on stderr that says why it failed. @returns the exit code */
export async function scanOne(text: string, options: LiveOptions, io: CommandIo): Promise<number> {
  const renderer = await startRenderer(options, io)
  const scanner = await openScanner({ ...options, renderer }, io)
  const site = parseSite(text)
  try {
    const scan = await scanSite(scanner, site, { pages: options.pages ?? 1, render: options.render })
    if (!options.include.includes('warnings'))
      for (const warning of scan.verdict.warnings) io.stderr.write(`${warning}\n`)
    if (options.isDescribed) {
      const { labels } = await scanner.ready()
      const { verdict, infrastructure, meta, details, parts } = scan
      const known = { labels, title: meta.title, details, infrastructure, parts, hasColors: showsColors(io) }
      io.stdout.write(describeVerdict(verdict, known))
    } else if (options.isDocument) io.stdout.write(formatDocument({ ...scan.verdict, ...scan }))
    else io.stdout.write(`${JSON.stringify(toLiveResult(scan, options.include), null, 2)}\n`)
    return options.failsOnEnded && hasEnded(scan) && reportEnded(1, io) ? EXIT.findings : EXIT.ok
  } catch (error) {
    if (!(error instanceof ScanError)) throw error
    const isFile = (error.reason === 'not_a_url' || error.reason === 'not_public') && existsSync(text)
    io.stderr.write(`${error.message} (${error.code})\n${isFile ? 'To scan a saved page, use --html.\n' : ''}`)
    const advice = isFile ? null : adviseAllow(error, site, options)
    if (advice !== null) io.stderr.write(`${advice}\n`)
    if (error.reason === 'internal') io.stderr.write(`${formatCause(error)}\n`)
    return EXIT.failed
  } finally {
    await scanner.close()
    await renderer?.close()
  }
}

/** Formats the cause of an internal error, which the author of a detector needs: the command line has no log. */
function formatCause({ cause }: ScanError): string {
  const inner = cause instanceof Error && cause.cause !== undefined ? cause.cause : cause
  return inner instanceof Error ? inner.message : String(inner)
}
