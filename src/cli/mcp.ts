import { loadConfig } from '../config/config.ts'
import { defineCommand, EXIT, readArgs, UsageError } from './command/command.ts'

const HELP = `
Offers the tools of Siteprint to an assistant: an MCP server on standard input and output, which MCP clients start.

  npx siteprint mcp [--allow address[/bits][:port]]
      Scans from this machine. --allow opens a local address (IPv6 in brackets; may be repeated).
  npx siteprint mcp --api URL
      Uses a service, with the API key in the environment variable SITEPRINT_KEY.

Tools: scan_site, explain_site, compare_sites, search_catalogue, usage; of a service also submit_batch, batch_status and batch_results.
The configuration of a client:
  {"mcpServers": {"siteprint": {"command": "npx", "args": ["siteprint", "mcp"]}}}

Settings (environment): those of a scan, for example RULES_DIRS and SCAN_ALLOW.
Exit code: 0 when the client has closed standard input, 2 wrong usage or failure.
`

const OPTIONS = { allow: { type: 'string', multiple: true }, api: { type: 'string' } } as const

export const main = defineCommand(HELP, async (args, io) => {
  const { values } = readArgs({ args, options: OPTIONS })
  const { allow = [], api } = values
  if (api !== undefined && allow.length > 0)
    throw new UsageError('--allow has no effect with --api: leave out one of them')
  const { serveStdio } = await import('./mcp/serve-stdio.ts')
  if (api !== undefined) {
    const { SITEPRINT_KEY: key = '' } = io.env
    if (!/^https?:\/\//.test(api) || !URL.canParse(api))
      throw new UsageError(`--api must be the URL of a service, not "${api}"`)
    if (key === '') throw new UsageError('set the environment variable SITEPRINT_KEY to an API key of the service')
    const { openApiBackend } = await import('../mcp/api-backend.ts')
    const { buildHttpSender } = await import('./mcp/http-sender.ts')
    await serveStdio(openApiBackend(buildHttpSender(api, key)), io)
    return EXIT.ok
  }
  const { openLocalBackend } = await import('./mcp/local-backend.ts')
  const backend = await openLocalBackend(
    { config: loadConfig(io.env), allow, skip: [], include: [], render: 'never', failsOnEnded: false },
    io,
  )
  try {
    await serveStdio(backend, io)
  } finally {
    await backend.close()
  }
  return EXIT.ok
})
