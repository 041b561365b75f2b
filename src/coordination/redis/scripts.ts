import { createHash } from 'node:crypto'
import { CACHE_MS, LOCK_MS } from '../types.ts'

/** A Lua script, which Redis runs atomically, and the SHA-1 under which Redis caches it. */
export interface Script {
  readonly text: string
  readonly sha: string
}

/** Lifetimes of the counts of a minute and of a day. Longer than these, to tolerate clocks that differ by some seconds. */
const COUNT_MS = { minute: 120_000, day: 86_460_000 } as const
/** Lifetime of a published outcome. */
const OUTCOME_MS = 5000

/** One query of `COUNT` as a character: its flags, added to the code of `0`. */
export function formatItem(flags: number): string {
  return String.fromCharCode(48 + flags)
}

/**
 * Counts and cache lookups of a batch. ARGV[1] contains one character for each query, from `formatItem`, with a sum of flags: 1 to
 * count, 2 to look up an entry, 4 to include its extras, 8 if the window is a day. KEYS contains the counter of each query, followed by its entry if one is looked up.
 * Returns two values for each query: the count, then false or {at, life, result, extras}, in which missing fields are false.
 */
export const COUNT = buildScript(`
local answer, at = {}, 1
for i = 1, #ARGV[1] do
  local item = string.byte(ARGV[1], i) - 48
  local count
  if item % 2 == 1 then
    count = redis.call('INCR', KEYS[at])
    if count == 1 then redis.call('PEXPIRE', KEYS[at], item >= 8 and ${COUNT_MS.day} or ${COUNT_MS.minute}) end
  else
    count = tonumber(redis.call('GET', KEYS[at]) or 0)
  end
  at = at + 1
  local entry = false
  local lookup = item % 8
  if lookup >= 2 then
    if lookup >= 4 then
      entry = redis.call('HMGET', KEYS[at], 'at', 'life', 'result', 'extras')
    else
      entry = redis.call('HMGET', KEYS[at], 'at', 'life', 'result')
    end
    at = at + 1
  end
  answer[2 * i - 1] = count
  answer[2 * i] = entry
end
return answer`)

/**
 * Acquires a single-flight lock. KEYS: entry, lock. ARGV: new token, '1' to ignore the cached result, the caller's clock in
 * milliseconds. Returns {'done', at, life, result, extras}, {'wait', token} or {'lead', token}.
 */
export const ACQUIRE = buildScript(`
if ARGV[2] ~= '1' then
  local entry = redis.call('HMGET', KEYS[1], 'at', 'life', 'result', 'extras')
  local life = tonumber(entry[2] or ${CACHE_MS})
  if entry[1] and entry[3] and tonumber(ARGV[3]) < tonumber(entry[1]) + life then
    return {'done', entry[1], entry[2], entry[3], entry[4]}
  end
end
local holder = redis.call('GET', KEYS[2])
if holder then return {'wait', holder} end
redis.call('SET', KEYS[2], ARGV[1], 'PX', ${LOCK_MS})
return {'lead', ARGV[1]}`)

/**
 * Renews a lock if it still contains the token: after 5 s without renewal, another node may hold it. KEYS: lock. ARGV: token.
 */
export const RENEW = buildScript(`
if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('PEXPIRE', KEYS[1], ${LOCK_MS}) end
return 1`)

/** Reads an outcome. KEYS: lock, outcome. ARGV: token. Returns the outcome, false while the scan runs, 0 if it is gone. */
export const READ_OUTCOME = buildScript(`
local outcome = redis.call('GET', KEYS[2])
if outcome then return outcome end
if redis.call('GET', KEYS[1]) == ARGV[1] then return false end
return 0`)

/**
 * Completes a scan. KEYS: lock, outcome, entry. ARGV: token, outcome ('' to publish none) and, if there is a result, its
 * expiry followed by its fields and values. The lock is deleted only if it contains the token: a scan that outlived its lock
 * must not release the lock of another node.
 */
export const COMPLETE = buildScript(`
if ARGV[3] then
  redis.call('DEL', KEYS[3])
  redis.call('HSET', KEYS[3], unpack(ARGV, 4))
  redis.call('PEXPIREAT', KEYS[3], ARGV[3])
end
if ARGV[2] ~= '' then redis.call('SET', KEYS[2], ARGV[2], 'PX', ${OUTCOME_MS}) end
if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('DEL', KEYS[1]) end
return 1`)

/** Deletes the entry KEYS[1]. Returns the number of deleted entries. */
export const DELETE_ENTRY = buildScript("return redis.call('DEL', KEYS[1])")

/** Returns the time of the server as seconds and microseconds. */
export const READ_TIME = buildScript("return redis.call('TIME')")

/** Builds a script from its text. */
export function buildScript(text: string): Script {
  return { text, sha: createHash('sha1').update(text).digest('hex') }
}
