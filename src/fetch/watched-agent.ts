import { Agent, type Dispatcher } from 'undici'

/** How far a request has come. Passed to the agent as `opaque`. */
export interface RequestProgress {
  /** Whether the request was written to an open connection. */
  isSent: boolean
  /** Whether a byte of the response was received. */
  isAnswered: boolean
}

/** An agent that records how far a request has come, because errors of undici do not say whether a response had begun. */
export class WatchedAgent extends Agent {
  override dispatch(options: Agent.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    const { opaque } = options as { readonly opaque?: RequestProgress }
    return super.dispatch(options, opaque === undefined ? handler : watchHandler(handler, opaque))
  }
}

/**
 * Adds listeners to a handler. The interceptors of undici (7.30) could do so too, but they merge repeated headers and lose their order.
 */
function watchHandler(handler: Dispatcher.DispatchHandler, progress: RequestProgress): Dispatcher.DispatchHandler {
  return new Proxy(handler, {
    get(target, key) {
      if (key === 'onResponseStarted') return () => void (progress.isAnswered = true)
      const value = target[key as keyof Dispatcher.DispatchHandler]
      if (typeof value !== 'function') return value
      const method = (value as (...values: unknown[]) => unknown).bind(target)
      if (key !== 'onConnect') return method
      return (...values: unknown[]) => {
        progress.isSent = true
        return method(...values)
      }
    },
  })
}
