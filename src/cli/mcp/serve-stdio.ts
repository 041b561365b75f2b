import { once } from 'node:events'
import { Readable } from 'node:stream'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import type { Backend } from '../../mcp/backend.ts'
import { buildMcpServer } from '../../mcp/build-server.ts'
import type { CommandIo } from '../command/command.ts'
import { formatError } from '../command/format-error.ts'
import { readVersion } from '../command/version.ts'

/** Serves one client on standard input and output, until it closes standard input. */
export async function serveStdio(
  backend: Backend,
  { stdin = Readable.from([]), stdout, stderr }: Pick<CommandIo, 'stdin' | 'stdout' | 'stderr'>,
): Promise<void> {
  // Standard output belongs to the protocol.
  const onError = (error: unknown): void => void stderr.write(`${formatError(error)}\n`)
  const server = buildMcpServer(backend, { version: readVersion(), onError })
  server.onerror = onError
  const ended = once(stdin, 'close')
  await server.connect(new StdioServerTransport(stdin, stdout))
  await ended
  await server.close()
}
