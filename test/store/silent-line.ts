import { connect, createServer, type Server, type Socket } from 'node:net'

/** A line to a server; `silence` swallows all that comes over the connections that stand at the time. */
export async function openLine(to: number): Promise<{ port: number; silence: () => void; close: () => void }> {
  const ends: Socket[] = []
  const line: Server = createServer((near) => {
    const far = connect(to, '127.0.0.1')
    ends.push(near, far)
    for (const end of [near, far]) end.on('error', () => {})
    near.pipe(far).pipe(near)
  })
  await new Promise<void>((resolve) => line.listen(0, '127.0.0.1', resolve))
  const silence = (): void => {
    for (const end of ends) end.unpipe().resume()
  }
  const close = (): void => {
    for (const end of ends) end.destroy()
    line.close()
  }
  return { port: (line.address() as { port: number }).port, silence, close }
}
