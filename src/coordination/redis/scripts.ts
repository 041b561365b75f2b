import { createHash } from 'node:crypto'
import { CACHE_MS, LOCK_MS } from '../types.ts'

/** A text in Lua, which Redis runs as one step, and the SHA-1 that Redis knows it by. */
export interface Script {
  readonly text: string
  readonly sha: string
}

/** How long the minute's count is kept. Longer than a minute, for clocks that go wrong by some seconds. */
const COUNT_MS = 120_000
/** How long its outcome can be read. */
const OUTCOME_MS = 5000

/**
 * Many counts and look-ups. ARGV[1] has one digit an item: 1 if it counts, 2 if an entry is looked up, 4 if its extras
 * are wanted, added. KEYS has the counter of each item, then, if one is looked up, the entry.
 * Answers twice the items: the count, then false or {at, result, extras}, each false where it is missing.
 */
export const TAKE = buildScript(`
local answer, at = {}, 1
for i = 1, #ARGV[1] do
  local item = string.byte(ARGV[1], i) - 48
  local count
  if item % 2 == 1 then
    count = redis.call('INCR', KEYS[at])
    if count == 1 then redis.call('PEXPIRE', KEYS[at], ${COUNT_MS}) end
  else
    count = tonumber(redis.call('GET', KEYS[at]) or 0)
  end
  at = at + 1
  local entry = false
  if item >= 2 then
    if item >= 4 then
      entry = redis.call('HMGET', KEYS[at], 'at', 'result', 'extras')
    else
      entry = redis.call('HMGET', KEYS[at], 'at', 'result')
    end
    at = at + 1
  end
  answer[2 * i - 1] = count
  answer[2 * i] = entry
end
return answer`)

/**
 * KEYS entry, flight; ARGV the new token, '1' for fresh, the caller's clock in milliseconds.
 * Answers {'done', at, result, extras}, {'wait', token} or {'lead', token}.
 */
export const BOARD = buildScript(`
if ARGV[2] ~= '1' then
  local entry = redis.call('HMGET', KEYS[1], 'at', 'result', 'extras')
  if entry[1] and entry[2] and tonumber(ARGV[3]) < tonumber(entry[1]) + ${CACHE_MS} then
    return {'done', entry[1], entry[2], entry[3]}
  end
end
local holder = redis.call('GET', KEYS[2])
if holder then return {'wait', holder} end
redis.call('SET', KEYS[2], ARGV[1], 'PX', ${LOCK_MS})
return {'lead', ARGV[1]}`)

/** KEYS flight; ARGV the token. Renews the lock only if it still holds the token: after 5 s without renewal it may be another node's. */
export const RENEW = buildScript(`
if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('PEXPIRE', KEYS[1], ${LOCK_MS}) end
return 1`)

/** KEYS flight, outcome; ARGV the token. Answers the outcome, false while it flies, 0 when it is gone. */
export const OUTCOME = buildScript(`
local outcome = redis.call('GET', KEYS[2])
if outcome then return outcome end
if redis.call('GET', KEYS[1]) == ARGV[1] then return false end
return 0`)

/**
 * KEYS flight, outcome, entry; ARGV the token, the outcome ('' to publish none), and where there is a result: when it expires, then fields
 * and values. The lock goes only if it is the token's own: a flight that took too long must not end another's.
 */
export const LAND = buildScript(`
if ARGV[3] then
  redis.call('DEL', KEYS[3])
  redis.call('HSET', KEYS[3], unpack(ARGV, 4))
  redis.call('PEXPIREAT', KEYS[3], ARGV[3])
end
if ARGV[2] ~= '' then redis.call('SET', KEYS[2], ARGV[2], 'PX', ${OUTCOME_MS}) end
if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('DEL', KEYS[1]) end
return 1`)

function buildScript(text: string): Script {
  return { text, sha: createHash('sha1').update(text).digest('hex') }
}
