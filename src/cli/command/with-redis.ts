import { openRedis, type RedisState } from '../../coordination/redis/redis.ts'
import { SetupError } from '../../errors.ts'

/** Connects to Redis for the duration of a task. @throws SetupError if it does not respond within a second */
export async function withRedis<T>(url: string, task: (redis: RedisState) => Promise<T>): Promise<T> {
  let why = 'no response within a second'
  const redis = await openRedis({ url, onError: ({ message }) => void (why = message) })
  try {
    if (!redis.isUp)
      throw new SetupError(`Redis does not respond (${why}): check that it is running and REDIS_URL is correct`)
    return await task(redis)
  } finally {
    await redis.close()
  }
}
