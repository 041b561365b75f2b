import { listAdvice } from '../../config/advice.ts'
import { type Config, loadConfig } from '../../config/config.ts'
import { SetupError } from '../../errors.ts'
import { loadRuleset } from '../../index.ts'
import type { Key } from '../../keys/types.ts'
import { describeRelease } from '../../rules/release-file.ts'
import { type OpenedStore, openStore } from '../../store/open/open-store.ts'
import { hasDatabase } from '../../store/sqlite/database.ts'
import { findRules } from '../../updates/find-rules.ts'
import { type CommandIo, EXIT } from '../command/command.ts'
import { formatError } from '../command/format-error.ts'
import type { Given } from '../command/verbs.ts'
import { readVersion } from '../command/version.ts'
import { withRedis } from '../command/with-redis.ts'
import { describePepper, type PepperState } from '../keys/pepper-state.ts'

/**
 * Result of one check: `error` if a server would not start or respond, or if secrets or data could become known; `warning` if
 * something else is wrong.
 */
interface CheckResult {
  readonly level: 'ok' | 'warning' | 'error'
  readonly subject: 'settings' | 'rules' | 'keys' | 'redis'
  readonly text: string
}

type Subject = CheckResult['subject']

/** Clocks may differ by this much, since minutes and months follow them. */
const MAX_SKEW_MS = 1000

/** The verb `check`: settings, rules, stores and clocks. Prints one line for each result. */
export function checkService(_: Given, io: CommandIo): () => Promise<number> {
  return async () => {
    const results = await runChecks(io)
    for (const { level, subject, text } of results)
      for (const line of text.split('\n')) io.stdout.write(`${level.padEnd(7)}  ${subject.padEnd(8)}  ${line}\n`)
    const has = (level: CheckResult['level']): boolean => results.some((one) => one.level === level)
    return has('error') ? EXIT.failed : has('warning') ? EXIT.findings : EXIT.ok
  }
}

async function runChecks(io: CommandIo): Promise<readonly CheckResult[]> {
  const [settings, config] = await attempt('settings', async () => {
    const config = loadConfig(io.env)
    return [checkSettings(config, io.env), config] as const
  })
  if (config === null) return settings
  // One after the other: loading the rules blocks the event loop for longer than Redis may take to connect.
  const [rules] = await attempt('rules', async () => [await checkRules(config), null])
  const [keys] = await attempt('keys', async () => [await checkStore(config), null])
  const [redis] = await attempt('redis', async () => [await checkRedis(config), null])
  return [...settings, ...rules, ...keys, ...redis]
}

/** Runs a check. An exception counts as an error of what is checked. */
async function attempt<T>(
  subject: Subject,
  check: () => Promise<readonly [readonly CheckResult[], T]>,
): Promise<readonly [readonly CheckResult[], T | null]> {
  try {
    return await check()
  } catch (error) {
    return [[{ level: 'error', subject, text: formatError(error) }], null]
  }
}

function formatPlans({ plans: { size } }: Config): string {
  return size === 1 ? '1 plan' : `${size} plans`
}

function checkSettings(config: Config, env: CommandIo['env']): readonly CheckResult[] {
  const advice = listAdvice(config, env).map(
    ({ level, text }): CheckResult => ({ level: level === 'risk' ? 'error' : 'warning', subject: 'settings', text }),
  )
  return [{ level: 'ok', subject: 'settings', text: `valid, with ${formatPlans(config)}` }, ...advice]
}

/** Loads the rules that a server would use: those that were fetched last, or the built-in ones. */
async function checkRules(config: Config): Promise<readonly CheckResult[]> {
  const subject = 'rules'
  const refused: CheckResult[] = []
  try {
    const { options, active } = findRules(config, readVersion())
    if (active !== null) {
      await loadRuleset(options)
      return [{ level: 'ok', subject, text: `valid, fetched from RULES_URL: ${describeRelease(active)}` }]
    }
  } catch (error) {
    if (!(error instanceof SetupError) || config.rulesUrl === null) throw error
    refused.push({ level: 'warning', subject, text: `the built-in rules are used, because ${error.message}` })
  }
  const { version } = await loadRuleset({
    folders: config.ruleFolders,
    detectors: config.detectorModules,
    cache: config.cacheDir,
  })
  return [{ level: 'ok', subject, text: `valid, version ${version}` }, ...refused]
}

async function checkStore(config: Config): Promise<readonly CheckResult[]> {
  const { dataDir, mongodbUrl, plans } = config
  const subject = 'keys'
  const name = mongodbUrl === null ? `SQLite in ${dataDir}` : 'MongoDB'
  if (mongodbUrl === null && !hasDatabase(dataDir))
    return [{ level: 'ok', subject, text: `${name}: there is no store yet; the first start creates one` }]
  const opened = await openStore(config, { role: 'tool' })
  try {
    const { store } = opened
    await store.ping()
    const skew = await measureSkew('MongoDB', subject, () => store.readClock())
    const keys = (await store.keys.listKeys()).filter(({ revokedAt }) => revokedAt === null)
    const text = `${name}: can be written; keys that are not revoked: ${keys.length}`
    return [{ level: 'ok', subject, text }, ...skew, ...checkKeys(keys, plans, opened)]
  } finally {
    await opened.store.close().catch(() => {})
  }
}

function checkKeys(keys: readonly Key[], plans: Config['plans'], opened: OpenedStore): readonly CheckResult[] {
  const results: CheckResult[] = []
  const warn = (text: string): void => void results.push({ level: 'warning', subject: 'keys', text })
  const orphans = keys.filter(({ plan }) => !plans.has(plan))
  const names = [...new Set(orphans.map(({ plan }) => plan))].join(', ')
  if (orphans.length > 0) warn(`keys whose plan is not in PLANS_FILE: ${orphans.length} (${names})`)
  const count = (state: PepperState): number => keys.filter((key) => describePepper(key, opened) === state).length
  if (opened.oldPepper !== null)
    results.push({ level: 'ok', subject: 'keys', text: `keys that need KEY_PEPPER_OLD: ${count('old')}` })
  const lost = count('missing')
  if (lost > 0)
    results.push({
      level: count('current') + count('old') === 0 ? 'error' : 'warning',
      subject: 'keys',
      text: `keys that are rejected, because their pepper is not set: ${lost}; see "keys list"`,
    })
  return results
}

async function checkRedis({ redisUrl }: Config): Promise<readonly CheckResult[]> {
  const subject = 'redis'
  if (redisUrl === null) return [{ level: 'ok', subject, text: 'not used: REDIS_URL is not set' }]
  return withRedis(redisUrl, async (redis) => {
    const skew = await measureSkew('Redis', subject, () => redis.readClock())
    return [{ level: 'ok', subject, text: 'responds' }, ...skew]
  })
}

/** Compares the clock of a server with that of this machine. The time of the call is not counted. */
async function measureSkew(
  server: string,
  subject: Subject,
  readClock: () => Promise<Date | null>,
): Promise<readonly CheckResult[]> {
  const before = Date.now()
  const clock = await readClock()
  const after = Date.now()
  if (clock === null) return []
  const skew = describeSkew(server, { before, clock: clock.getTime(), after })
  return [{ ...skew, subject }]
}

/**
 * Compares the clock of a server with that of this machine. Times are in milliseconds since 1970.
 * @param times before and after the call that read the clock of the server
 */
export function describeSkew(
  server: string,
  { before, clock, after }: { readonly before: number; readonly clock: number; readonly after: number },
): Pick<CheckResult, 'level' | 'text'> {
  const ahead = Math.max(0, clock - after)
  const behind = Math.max(0, before - clock)
  if (ahead <= MAX_SKEW_MS && behind <= MAX_SKEW_MS)
    return { level: 'ok', text: `the clock of ${server} agrees with that of this machine` }
  const seconds = (Math.max(ahead, behind) / 1000).toFixed(1)
  const side = ahead > 0 ? 'ahead of' : 'behind'
  return {
    level: 'warning',
    text: `the clock of ${server} is ${seconds} s ${side} that of this machine: set both with NTP`,
  }
}
