import { Script } from 'node:vm'

/** The function that the script calls, while it does. */
let running: (() => unknown) | undefined
const KEY = Symbol.for('siteprint.limited')
const script = new Script(`globalThis[Symbol.for('siteprint.limited')]()`)

/**
 * Runs a function on the calling thread with a time limit. What the function has changed when it is stopped may be incomplete.
 * @param timeoutMs limit in milliseconds, 1 or more
 * @throws the errors of the function; an error with the code `ERR_SCRIPT_EXECUTION_TIMEOUT` when it was stopped
 */
export function limitTime<Result>(run: () => Result, timeoutMs: number): Result {
  running = run
  Object.defineProperty(globalThis, KEY, { configurable: true, value: () => running?.() })
  try {
    return script.runInThisContext({ timeout: Math.max(1, Math.ceil(timeoutMs)) }) as Result
  } finally {
    running = undefined
  }
}
