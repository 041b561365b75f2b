import type { Server as HttpServer } from 'node:http'
import { Server } from 'node:net'
import { setImmediate as nextTurn, setTimeout as wait } from 'node:timers/promises'

/** Maximum event-loop turns to wait for new connections to cease: under constant load the server must close, too. */
const MAX_TURNS = 500
/** Time to read requests that have already arrived, sufficient on a busy machine. */
const READ_ARRIVED_MS = 200

/**
 * Stops accepting connections, and first reads the requests that have already arrived. Node's own close would cut off
 * connections whose first request is not yet read, and the operating system would reset connections that it has accepted
 * and Node, which takes one per turn of the event loop, has not. A server that does not listen has no connections to wait for.
 */
export async function stopListening(server: HttpServer): Promise<void> {
  if (!server.listening) return
  let isQuiet = false
  const onConnection = (): void => {
    isQuiet = false
  }
  server.on('connection', onConnection)
  for (let turn = 0; !isQuiet && turn < MAX_TURNS; turn++) {
    isQuiet = true
    await nextTurn()
  }
  server.off('connection', onConnection)
  Server.prototype.close.call(server)
  await wait(READ_ARRIVED_MS)
}
