/** Settles as `promise` does, or rejects with the signal's reason as soon as that aborts. Leaves nothing behind. */
export function race<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  promise.catch(() => {}) // Whoever comes second is not heard.
  if (signal.aborted) return Promise.reject(signal.reason)
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(signal.reason)
    signal.addEventListener('abort', onAbort, { once: true })
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort))
  })
}
