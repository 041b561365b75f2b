import { loadConfig } from '../../config/config.ts'
import { ScanError, SetupError } from '../../errors.ts'
import { buildPolicy } from '../../fetch/policy.ts'
import { parseTarget } from '../../fetch/target.ts'
import { loadRuleset } from '../../index.ts'
import { MAX_PAGES } from '../../keys/plans.ts'
import { RENDER_MODES } from '../../scan/render-modes.ts'
import { buildCacheKey } from '../../service/cache-entry.ts'
import { findRules } from '../../updates/find-rules.ts'
import { type CommandIo, EXIT, UsageError } from '../command/command.ts'
import type { Given } from '../command/verbs.ts'
import { readVersion } from '../command/version.ts'
import { withRedis } from '../command/with-redis.ts'

/** The verb `purge`: deletes the cached result of a URL from Redis, for all nodes that use the same rules. */
export function purgeUrl({ args: [url] }: Given, io: CommandIo): () => Promise<number> {
  return async () => {
    const { redisUrl, ...config } = loadConfig(io.env)
    const target = readTarget(url, config)
    if (redisUrl === null)
      throw new SetupError(
        'REDIS_URL is not set, so each server has its own cache in memory: request the URL with fresh=true, which replaces its cached result',
      )
    const { options, active } = findRules(config, readVersion())
    const { version } = active ?? (await loadRuleset(options))
    const keys = RENDER_MODES.flatMap((render) =>
      Array.from({ length: MAX_PAGES }, (_, i) => buildCacheKey(target, version, { pages: i + 1, render })),
    )
    const deleted = await withRedis(redisUrl, (redis) => Promise.all(keys.map((key) => redis.deleteEntry(key))))
    const isDeleted = deleted.includes(true)
    io.stderr.write(`${isDeleted ? 'Deleted the cached result' : 'There is no cached result'} of ${target.href}.\n`)
    return EXIT.ok
  }
}

/** Normalizes a URL in the same way as a request. @throws UsageError if it cannot be scanned */
function readTarget(url: string, config: Parameters<typeof buildPolicy>[0]): URL {
  try {
    return parseTarget(url, buildPolicy(config, '')).url
  } catch (error) {
    if (!(error instanceof ScanError)) throw error
    throw new UsageError(`"${url}" is not a URL that can be scanned: ${error.message}`)
  }
}
