// Uses the types that openapi-typescript generated from /openapi-1.json. Prints a JSON object for each URL of a service.
import createClient, { type Client } from 'openapi-fetch'
import type { components, paths } from './openapi-1.ts'

declare const process: { readonly argv: readonly [string, string, string, ...string[]] }
type Extra = components['schemas']['Extra']

// @ts-expect-error revision 1 has no such path.
export type Usage = paths['/api/v1/usage']
// @ts-expect-error revision 1 has no such field.
export type Flag = components['schemas']['ScanResult']['isAiNative']

const EXTRAS: Extra[] = ['evidence', 'versions', 'infrastructure', 'timing', 'warnings']
const url = 'https://example.org'

async function use(client: Client<paths>): Promise<object> {
  const { data: result } = await client.POST('/api/v1/scan', { body: { url, include: EXTRAS, fresh: true } })
  const { data: again } = await client.GET('/api/v1/scan', {
    params: { query: { url, include: ['versions', 'timing'] } },
  })
  const { data: me } = await client.GET('/api/v1/me')
  const { error } = await client.POST('/api/v1/scan', { body: { url: 'nothing' } })
  // A value that is not in this document is accepted.
  const category: components['schemas']['BuilderCategory'] | null | undefined =
    result?.category ?? 'unknown to this version'
  return {
    builder: result?.builder,
    category,
    cached: [result?.cached, again?.cached],
    kind: result?.evidence?.[0]?.kind,
    version: again?.versions?.Webflow,
    limit: me?.requests_limit,
    created: me?.created_at.replace('.000Z', '+00:00'),
    code: error?.code,
    later: 'later' in (result ?? {}),
  }
}

const [, , key, ...urls] = process.argv
const headers = { authorization: `Bearer ${key}` }
const found: object[] = []
for (const baseUrl of urls) found.push(await use(createClient<paths>({ baseUrl, headers })))
console.log(JSON.stringify(found))
