import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onFileEnd } from '../support/on-file-end.ts'

/** Fields whose values are extensible lists. */
const EXTENSIBLE = new Set(['category', 'siteType', 'kind', 'weight', 'code'])

/** Adds a field to every object of a response, and replaces values of extensible lists with one that no document has. */
function changeResponse(value: unknown, key = ''): unknown {
  if (Array.isArray(value)) return value.map((item) => changeResponse(item))
  if (typeof value === 'string' && EXTENSIBLE.has(key)) return 'later-value'
  // The names of a map are data.
  if (typeof value !== 'object' || value === null || key === 'versions') return value
  const entries = Object.entries(value).map(([name, item]) => [name, changeResponse(item, name)])
  return { ...Object.fromEntries(entries), later: { nested: [1, null] } }
}

/** Starts a later version of a service: a proxy that changes its responses. Returns its address. */
export async function serveLaterVersion(baseUrl: string): Promise<string> {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const { host, connection, 'content-length': _, ...headers } = request.headers as Record<string, string>
    const { method = 'GET', url } = request
    const body = method === 'GET' ? {} : { body: Buffer.concat(chunks) }
    const answer = await fetch(`${baseUrl}${url}`, { method, headers, ...body })
    response.writeHead(answer.status, { 'content-type': 'application/json', 'x-later': 'yes' })
    response.end(JSON.stringify(changeResponse(await answer.json())))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onFileEnd(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
