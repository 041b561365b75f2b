import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js'
import { openApiBackend, type SendRequest } from './api-backend.ts'
import { buildMcpServer } from './build-server.ts'

interface ReceivedMessage {
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
  /** The parsed JSON. */
  readonly body: unknown
}

/** The response to a message. */
export interface MessageAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
}

/** Headers that the transport reads. */
const READ = ['accept', 'mcp-protocol-version'] as const

/** Answers one message of a client. There are no sessions, so each message has a server of its own. */
export async function answerMessage(
  { headers, body }: ReceivedMessage,
  {
    send,
    ...options
  }: { readonly send: SendRequest; readonly version: string; readonly onError: (error: unknown) => void },
): Promise<MessageAnswer> {
  const server = buildMcpServer(openApiBackend(send), options)
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true })
  await server.connect(transport)
  try {
    const kept = READ.flatMap((name) => (headers[name] === undefined ? [] : [[name, String(headers[name])] as const]))
    const init = {
      method: 'POST',
      headers: [...kept, ['content-type', 'application/json'] as const].map(([name, value]): [string, string] => [
        name,
        value,
      ]),
    }
    const response = await transport.handleRequest(new Request('http://localhost/mcp', init), { parsedBody: body })
    return { status: response.status, headers: Object.fromEntries(response.headers), text: await response.text() }
  } finally {
    await server.close()
  }
}
