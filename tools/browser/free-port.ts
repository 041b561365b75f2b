import { once } from 'node:events'
import { createServer } from 'node:net'

/** Finds a port of this machine that is free at the moment, for a server whose public URL has to be known before its start. */
export async function findFreePort(): Promise<number> {
  const server = createServer()
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  return typeof address === 'object' && address !== null ? address.port : 0
}
