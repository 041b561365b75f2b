import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { openRedis } from '../../src/coordination/redis/redis.ts'
import { buildCacheKey } from '../../src/service/cache-entry.ts'
import { type Outcome, smallProject } from '../support/built-project.ts'
import { writeFolder } from '../support/rule-folder.ts'
import { mongoUrl, redisUrl } from '../support/services.ts'
import { type Env, KEY_PEPPER } from './store-scene.ts'

const DATA_DIR = join(writeFolder({}), 'data')
const redis = await redisUrl('the command check')
const mongo = mongoUrl('the command check')

const service = (env: Env, ...args: string[]): Promise<Outcome> => smallProject().run('service', args, { env })

describe('check', () => {
  test.each<[string, Env, RegExp]>([
    [
      'a store that is away',
      { MONGODB_URL: 'mongodb://127.0.0.1:9/x', KEY_PEPPER },
      /^error {4}keys {6}MongoDB at 127.0.0.1:9 does not answer/m,
    ],
    [
      'a Redis that is away',
      { REDIS_URL: 'redis://127.0.0.1:9' },
      /^error {4}redis {5}Redis does not respond \(connect ECONNREFUSED/m,
    ],
  ])('%s is an error', async (_, env, expected) => {
    const { code, stdout, stderr } = await service({ DATA_DIR, ...env }, 'check')
    expect({ code, stderr }).toEqual({ code: 2, stderr: '' })
    expect(stdout).toMatch(expected)
  })

  test.skipIf(redis === null || mongo === null)('of both servers', async () => {
    const env = { REDIS_URL: redis ?? '', MONGODB_URL: mongo ?? '', KEY_PEPPER, PORTAL: 'off' }
    const { code, stdout } = await service(env, 'check')
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining('MongoDB: can be written') })
    for (const server of ['MongoDB', 'Redis'])
      expect(stdout).toContain(`the clock of ${server} agrees with that of this machine\n`)
  })
})

describe('purge', () => {
  test.skipIf(redis === null)('deletes the result of one URL, however it is written', async () => {
    const env = { DATA_DIR, REDIS_URL: redis ?? '' }
    const version = /valid, version (\w+)/.exec((await service(env, 'check')).stdout)?.[1] ?? ''
    const shared = await openRedis({ url: redis ?? '' })
    const now = Date.now()
    const [entry, neighbour] = ['https://example.org/a', 'https://example.org/b'].map((url) =>
      buildCacheKey(new URL(url), version),
    )
    for (const one of [entry, neighbour]) {
      const { token } = (await shared.acquire(one, { fresh: true, now })) as { token: string }
      await shared.complete(one, token, { outcome: '{}', result: { at: now, result: '{}' } })
    }
    const purge = (): Promise<Outcome> => service(env, 'purge', ' https://EXAMPLE.org:443/a#part ')
    const stderr = 'Deleted the cached result of https://example.org/a.\n'
    expect(await purge()).toEqual({ code: 0, stdout: '', stderr })
    expect((await purge()).stderr).toBe('There is no cached result of https://example.org/a.\n')
    const roles = [entry, neighbour].map(async (one) => (await shared.acquire(one, { fresh: false, now })).role)
    expect(await Promise.all(roles)).toEqual(['lead', 'done'])
    await shared.close()
  })
})
