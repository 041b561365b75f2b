import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../config/config.ts'
import { ScanError } from '../errors.ts'
import { parseAllowed } from '../fetch/address.ts'
import type { HostLimiter } from '../fetch/host-limiter.ts'
import { buildPolicy, type Policy } from '../fetch/policy.ts'
import { EVIDENCE, type EvidenceKind } from '../fetch/side-evidence.ts'
import { projectFolder } from '../rules/built.ts'
import { type LiveExtra, Scanner, toLiveResult } from '../scan/scanner.ts'
import type { PoolOptions } from '../scan/worker-pool.ts'
import { EXIT, UsageError } from './command.ts'

export interface LiveOptions {
  readonly config: Config
  /** Entries of `--allow`. */
  readonly allow: readonly string[]
  readonly skip: readonly EvidenceKind[]
  readonly include: readonly LiveExtra[]
}

/** Opens what scans live sites. */
export function openScanner(
  { config, allow, skip }: LiveOptions,
  changes: { readonly policy?: Partial<Policy>; readonly pool?: PoolOptions; readonly hostLimiter?: HostLimiter } = {},
): Scanner {
  const { version } = JSON.parse(readFileSync(join(projectFolder(), 'package.json'), 'utf8')) as { version: string }
  const opened = allow.map((entry) => {
    const address = parseAllowed(entry)
    if (address === null) throw new UsageError(`--allow takes address[/bits][:port], IPv6 in brackets, not "${entry}"`)
    return address
  })
  if (config.scanAllow.length > 0) process.stderr.write('SCAN_ALLOW is set: it opens addresses that are not public\n')
  const settings = { ...config, scanAllow: [...config.scanAllow, ...opened] }
  const policy = { ...buildPolicy(settings, version), ...changes.policy }
  const evidence = EVIDENCE.filter((kind) => !skip.includes(kind))
  return new Scanner({
    folders: config.ruleFolders,
    detectors: config.detectorModules,
    ...changes.pool,
    ...(changes.hostLimiter && { hostLimiter: changes.hostLimiter }),
    policy,
    evidence,
  })
}

/** Scans one site and prints its result. What went wrong is a sentence on stderr. */
export async function scanOne(text: string, options: LiveOptions): Promise<number> {
  const scanner = openScanner(options)
  try {
    const scan = await scanner.scan(text)
    if (!options.include.includes('warnings'))
      for (const warning of scan.verdict.warnings) process.stderr.write(`${warning}\n`)
    process.stdout.write(`${JSON.stringify(toLiveResult(scan, options.include), null, 2)}\n`)
    return EXIT.fine
  } catch (error) {
    if (!(error instanceof ScanError)) throw error
    const isFile = error.reason === 'not_a_url' && existsSync(text)
    process.stderr.write(`${error.message} (${error.code})\n${isFile ? 'A saved page is named with --html.\n' : ''}`)
    if (error.reason === 'not_public')
      process.stderr.write('A site on your own machine is opened by its address: --allow.\n')
    if (error.reason === 'internal') process.stderr.write(`${causeOf(error)}\n`)
    return EXIT.failed
  } finally {
    await scanner.close()
  }
}

/** What the author of a detector has to know: there is no log to look it up in. */
function causeOf({ cause }: ScanError): string {
  const inner = cause instanceof Error && cause.cause !== undefined ? cause.cause : cause
  return inner instanceof Error ? inner.message : String(inner)
}
