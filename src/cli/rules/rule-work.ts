import type { Config } from '../../config/config.ts'
import type { Detector } from '../../engine/page/detector.ts'
import type { RuleKind } from '../../engine/rule/types.ts'
import { KINDS } from '../../rules/discover.ts'
import { type CheckedRules, checkFolders, throwOnErrors } from '../../rules/load.ts'
import { formatHint } from '../../yaml/hint.ts'
import { UsageError } from '../command.ts'

/** Rule folders and detectors, loaded once the arguments are valid. */
export interface LoadedRules {
  /** The project's own folder first. */
  readonly folders: readonly string[]
  readonly detectors: readonly Detector[]
  /** Modules of the detectors from `DETECTORS`. */
  readonly detectorModules: readonly string[]
  /** Settings, for verbs that fetch a page. */
  readonly config: Config
}

/** The action of a verb of `rules`, which runs once rule folders and detectors are known. @returns the exit code */
export type RuleWork = (loaded: LoadedRules) => Promise<number> | number

/** @throws RulesetError when a rule has errors */
export function readValidRules({ folders, detectors }: LoadedRules): CheckedRules {
  const checked = checkFolders({ folders, detectors })
  throwOnErrors(checked.findings)
  return checked
}

/**
 * Reads the name of a kind, or of its folder: `builder` or `builders`.
 * @throws UsageError
 */
export function readKind(name: string): RuleKind {
  const kinds = [...KINDS.values()]
  const kind = KINDS.get(name) ?? kinds.find((one) => one === name)
  if (kind === undefined)
    throw new UsageError(`there is no kind "${name}"${formatHint(name, kinds) || `: use one of ${kinds.join(', ')}`}`)
  return kind
}
