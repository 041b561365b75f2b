/** Milliseconds between the starts of two scans of one host. */
export const HOST_PAUSE_MS = 1000
/** How long a busy host is left alone when it is not known when its scan ends, in milliseconds. */
const BUSY_RETRY_MS = 250

/** A host that may be scanned now, until `release`; or how many milliseconds to wait before the next try. */
type HostLease = { readonly release: () => Promise<void> } | { readonly busyMs: number }

/** Lets at most one batch scan a host at a time, starting at most once a second. */
export interface HostGate {
  enter(host: string): Promise<HostLease>
}

interface HostState {
  isBusy: boolean
  nextStart: number
}

/** The gate of a single process. @param pauseMs milliseconds between two starts */
export function openMemoryGate(clock: () => number, pauseMs = HOST_PAUSE_MS): HostGate {
  const hosts = new Map<string, HostState>()
  let sweepAt = 0
  const sweep = (now: number): void => {
    if (now < sweepAt) return
    sweepAt = now + 10 * pauseMs
    for (const [host, { isBusy, nextStart }] of hosts) if (!isBusy && nextStart <= now) hosts.delete(host)
  }
  return {
    async enter(host) {
      const now = clock()
      sweep(now)
      const state = hosts.get(host)
      if (state?.isBusy) return { busyMs: Math.max(BUSY_RETRY_MS, state.nextStart - now) }
      if (state !== undefined && state.nextStart > now) return { busyMs: state.nextStart - now }
      const entered: HostState = { isBusy: true, nextStart: now + pauseMs }
      hosts.set(host, entered)
      return {
        release: async () => {
          entered.isBusy = false
        },
      }
    },
  }
}
