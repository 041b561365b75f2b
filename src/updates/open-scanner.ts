import { SetupError } from '../errors.ts'
import type { Release } from '../rules/release-file.ts'
import type { CurrentRules } from '../scan/current-rules.ts'
import { Scanner, type ScannerOptions } from '../scan/scanner.ts'
import { type KeeperParts, RulesKeeper } from './rules-keeper.ts'
import { RulesetFolder } from './ruleset-folder.ts'
import type { UpdateParts } from './update-rules.ts'

interface OpenScannerOptions extends Omit<UpdateParts, 'folder'>, Pick<KeeperParts, 'log' | 'count' | 'followMs'> {
  readonly dataDir: string
}

/** A scanner whose rules can be kept fresh. */
export interface UpdatedScanner {
  readonly scanner: Scanner
  /** Starts to fetch newer rules and to switch to them. */
  readonly startUpdates: (rules: CurrentRules) => RulesKeeper
}

/**
 * Opens a scanner with the active released ruleset. If that one is refused, the reason is logged and the built-in rules are used.
 * @throws the errors of loading the built-in rules
 */
export async function openUpdatedScanner(
  scannerOptions: ScannerOptions,
  { dataDir, ...options }: OpenScannerOptions,
): Promise<UpdatedScanner> {
  const parts = { ...options, folder: new RulesetFolder(dataDir) }
  const opened = (await openActive(scannerOptions, parts)) ?? { scanner: new Scanner(scannerOptions), active: null }
  const { scanner, active } = opened
  return { scanner, startUpdates: (rules) => new RulesKeeper({ ...parts, rules, scanner }, active) }
}

/** Returns null if no released ruleset is active, or if it is refused. */
async function openActive(
  options: ScannerOptions,
  { folder, publicKey, siteprint, log }: UpdateParts & Pick<OpenScannerOptions, 'log'>,
): Promise<{ readonly scanner: Scanner; readonly active: Release } | null> {
  let scanner: Scanner | undefined
  try {
    const { active } = folder.readUsable(siteprint)
    if (active === null) return null
    scanner = new Scanner({ ...options, release: { file: folder.nameFile(active), publicKey } })
    await scanner.ready()
    return { scanner, active }
  } catch (error) {
    await scanner?.close()
    if (!(error instanceof SetupError)) throw error
    log.error({ why: error.message }, 'the fetched rules cannot be used: the built-in rules are used')
    return null
  }
}
