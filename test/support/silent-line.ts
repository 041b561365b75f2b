import { connect, createServer, type Server, type Socket } from 'node:net'

interface Line {
  readonly port: number
  /** Discards all data on the open connections. */
  readonly silence: () => void
  /** Holds back the server's data on the first connection until `releaseFirst`. */
  readonly holdFirst: () => void
  readonly releaseFirst: () => void
  readonly close: () => void
}

/** Opens a proxy to a server, whose connections can be silenced. */
export async function openLine(to: number): Promise<Line> {
  const ends: Socket[] = []
  const line: Server = createServer((near) => {
    const far = connect(to, '127.0.0.1')
    ends.push(near, far)
    for (const end of [near, far]) end.on('error', () => {})
    near.pipe(far).pipe(near)
  })
  await new Promise<void>((resolve) => line.listen(0, '127.0.0.1', resolve))
  return {
    port: (line.address() as { port: number }).port,
    silence: () => {
      for (const end of ends) end.unpipe().resume()
    },
    holdFirst: () => void ends[1].unpipe(),
    releaseFirst: () => void ends[1].pipe(ends[0]),
    close: () => {
      for (const end of ends) end.destroy()
      line.close()
    },
  }
}
