import { createRequire } from 'node:module'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { openService, Service } from '../../src/compose.ts'
import type { loadConfig } from '../../src/config/config.ts'
import { writePlans } from '../service/start-service.ts'
import { smallProject } from '../support/built-project.ts'
import { onFileEnd } from '../support/on-file-end.ts'
import { writeFolder } from '../support/rule-folder.ts'
import { until } from '../support/until.ts'
import { makeRelease, nameRelease, openReleaseServer, PUBLIC_KEY, SITEPRINT } from './test-release.ts'

const require = createRequire(import.meta.url)
/** Loads a compiled module with Node, because only there does the service find its compiled workers. */
const requireBuilt = (name: string) => require(join(smallProject().folder, 'dist', 'src', `${name}.js`))

interface Started {
  readonly service: Service
  readonly url: string
  readonly key: string
}

/** Starts the service in this process. */
async function start(settings: Readonly<Record<string, string>>): Promise<Started> {
  const { loadConfig: load }: { loadConfig: typeof loadConfig } = requireBuilt('config/config')
  const { openService: open }: { openService: typeof openService } = requireBuilt('compose')
  const config = load({ PORT: '0', PORTAL: 'off', LOG_LEVEL: 'silent', ...settings })
  const log = require('pino').pino({ level: 'silent' })
  const service = await open({ config, log, version: SITEPRINT })
  const url = /listens on (http:\S+) /.exec(service.greeting)?.[1] ?? ''
  return { service, url, key: /spk_live_\w+/.exec(service.greeting)?.[0] ?? '' }
}

test('a service fetches newer rules at its start, uses them after the next start, and fetches nothing without RULES_URL', async () => {
  const offer = await openReleaseServer()
  offer.offered = makeRelease(1).bytes
  const settings = {
    DATA_DIR: join(writeFolder({}), 'data'),
    RULES_PUBLIC_KEY: PUBLIC_KEY,
    PLANS_FILE: writePlans({ free: [99_999, 100] }),
  }
  const first = await start({ ...settings, RULES_URL: offer.url })
  onFileEnd(() => first.service.close())
  const readRuleset = async (url: string): Promise<unknown> => {
    const response = await fetch(`${url}/api/v1/catalogue`, { headers: { 'x-api-key': first.key } })
    return ((await response.json()) as { readonly ruleset?: string }).ruleset
  }
  await until(() => readRuleset(first.url), nameRelease(1).version)
  await first.service.close()
  const requests = offer.requests
  const second = await start(settings)
  const builtIn = await readRuleset(second.url)
  expect(builtIn).toMatch(/^(?!0{15})[\da-f]{16}$/)
  await second.service.close()
  expect(offer.requests).toBe(requests)
  offer.offered = (response) => response.writeHead(503).end()
  const third = await start({ ...settings, RULES_URL: offer.url })
  expect(await readRuleset(third.url)).toBe(nameRelease(1).version)
  await third.service.close()
})
