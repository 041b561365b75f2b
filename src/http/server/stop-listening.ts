import type { Server as HttpServer } from 'node:http'
import { Server } from 'node:net'
import { setImmediate as nextTurn, setTimeout as wait } from 'node:timers/promises'

/** Turns of the event loop: where clients come faster than they are let in, the door closes all the same. */
const MANY_TURNS = 500
/** Time in which requests that have arrived are read, on a busy machine too. */
const UNREAD_MS = 200

/**
 * Lets nobody new in, and reads what those have sent who are in. Node's own close would cut off connections whose first
 * request lies there unread; and the system resets those that it has taken and Node, which takes one a turn, has not.
 */
export async function stopListening(server: HttpServer): Promise<void> {
  let isQuiet = false
  const onConnection = (): void => {
    isQuiet = false
  }
  server.on('connection', onConnection)
  for (let turn = 0; !isQuiet && turn < MANY_TURNS; turn++) {
    isQuiet = true
    await nextTurn()
  }
  server.off('connection', onConnection)
  Server.prototype.close.call(server)
  await wait(UNREAD_MS)
}
