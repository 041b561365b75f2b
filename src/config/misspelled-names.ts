import leven, { closestMatch } from 'leven'
import type { Environment } from './reader.ts'
import type { Setting } from './setting.ts'
import { SETTINGS } from './settings.ts'

/** Names that begin like this are meant for this service, however far they are from a setting. */
const OWN_PREFIXES = ['SITEPRINT_', 'SCAN_', 'METRICS_', 'SMTP_', 'KEY_PEPPER', 'AUTH_SECRET']
const PROJECT_PREFIX = /^SITEPRINT_/
/** Edits by which a name may differ from a setting. For short settings (`HOST`, `PORT`), two edits lead to unrelated words. */
const MAX_EDITS = 2
const MAX_EDITS_OF_SHORT = 1
const MAX_SHORT_LENGTH = 5
/** Variables by which Docker and Kubernetes announce services, such as `SITEPRINT_SERVICE_HOST` and `SITEPRINT_PORT=tcp://10.0.0.1:3000`. */
const SERVICE_LINK = /_(?:SERVICE_(?:HOST|PORT)|PORT_\d{1,5}_(?:TCP|UDP))(?:_|$)/
const SERVICE_URL = /^(?:tcp|udp):\/\//

const ALL: readonly Setting<unknown>[] = Object.values(SETTINGS)
const NAMES: readonly string[] = ALL.flatMap(({ name, isSecret }) => (isSecret ? [name, `${name}_FILE`] : [name]))

/** A variable of the environment that is not a setting but was probably meant to be one. */
export interface MisspelledName {
  readonly name: string
  /** What to do, for a sentence after the name and a colon. */
  readonly sentence: string
}

/** Finds variables with the prefixes of this service, or almost with the name of a setting. */
export function findMisspelledNames(env: Environment): readonly MisspelledName[] {
  const given = Object.entries(env).filter(([, value]) => value !== undefined && value.trim() !== '')
  return given.flatMap(([name, value = '']) => {
    if (NAMES.includes(name) || SERVICE_LINK.test(name) || SERVICE_URL.test(value)) return []
    const sentence = describeName(name)
    return sentence === null ? [] : [{ name, sentence }]
  })
}

/** @returns null if the name has nothing to do with a setting */
function describeName(written: string): string | null {
  const name = written.toUpperCase()
  const bare = name.replace(PROJECT_PREFIX, '')
  if (bare !== name && NAMES.includes(bare)) return `is not a setting; settings have no prefix: write ${bare}`
  const plain = name.replace(/_FILE$/, '')
  if (plain !== name && ALL.some((one) => one.name === plain))
    return `is not a setting, because only secrets are read from files; write ${plain}`
  const close = findClose(name) ?? (bare === name ? undefined : findClose(bare))
  if (close !== undefined) return `is not a setting; did you mean ${close}?`
  return OWN_PREFIXES.some((prefix) => name.startsWith(prefix))
    ? `is not a setting; the nearest one is ${closestMatch(bare, [...NAMES])}. docs/operating.md lists all settings`
    : null
}

/** Finds the setting that differs from a name by a few edits. The case of letters is one of them only for short names. */
function findClose(name: string): string | undefined {
  const close = NAMES.filter((known) => {
    const maxDistance = known.length <= MAX_SHORT_LENGTH ? MAX_EDITS_OF_SHORT : MAX_EDITS
    // Most variables are far from most names, which their lengths show.
    return Math.abs(name.length - known.length) <= maxDistance && leven(name, known) <= maxDistance
  })
  return closestMatch(name, close)
}
