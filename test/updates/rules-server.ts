import { join } from 'node:path'
import { expect } from 'vitest'
import { type AllowedAddress, parseAllowed } from '../../src/fetch/address.ts'
import { DEFAULT_POLICY } from '../../src/fetch/policy.ts'
import { CurrentRules } from '../../src/scan/current-rules.ts'
import { openUpdatedScanner } from '../../src/updates/open-scanner.ts'
import type { CheckOutcome, KeeperParts } from '../../src/updates/rules-keeper.ts'
import { RulesetFolder } from '../../src/updates/ruleset-folder.ts'
import { builtWorker } from '../detector/built-worker.ts'
import { onePlan, openApp, scanOf } from '../http/app-fixture.ts'
import { LOCAL_BLOCK, openSite } from '../service/local-site.ts'
import { smallProject } from '../support/built-project.ts'
import { onFileEnd } from '../support/on-file-end.ts'
import { writeFolder } from '../support/rule-folder.ts'
import { until } from '../support/until.ts'
import { makeRelease, nameBuilder, nameRelease, openReleaseServer, PUBLIC_KEY, SITEPRINT } from './test-release.ts'

/** Opens a scanner of local sites that follows the rulesets of a folder, as the service does. */
export async function openServer(dataDir: string, url: string) {
  const policy = { ...DEFAULT_POLICY, allow: [parseAllowed(LOCAL_BLOCK) as AllowedAddress] }
  const options = { policy, evidence: [], worker: builtWorker(smallProject()), threads: 2, maxWaitMs: 60_000 }
  const lines: string[] = []
  const counts: CheckOutcome[] = []
  const write = (fields: object, message: string): void => void lines.push(`${message} ${JSON.stringify(fields)}`)
  const log: KeeperParts['log'] = { info: write, error: write }
  const settings = { dataDir, url, publicKey: PUBLIC_KEY, siteprint: SITEPRINT, log, followMs: 1 }
  const count = (outcome: CheckOutcome): void => void counts.push(outcome)
  const { scanner, startUpdates } = await openUpdatedScanner(options, { ...settings, count })
  // The schemas of responses need at least one site type, of which the small project has none.
  const rules = new CurrentRules({ ...(await scanner.ready()), siteTypes: ['blog'] })
  const app = await openApp({
    policy,
    settings: onePlan(99_999, 99_999),
    parts: { rules, scan: (target, client, ruleset) => scanner.scan(target, { client, ruleset }) },
  })
  return { app, rules, lines, counts, startUpdates, scanner }
}

type Server = Awaited<ReturnType<typeof openServer>>

/** A server that keeps its rules fresh, and the command with which an operator changes them. */
export async function openScene() {
  const dataDir = join(writeFolder({}), 'data')
  const offer = await openReleaseServer()
  const server = await openServer(dataDir, offer.url)
  const env = { DATA_DIR: dataDir, RULES_URL: offer.url, RULES_PUBLIC_KEY: PUBLIC_KEY }
  const command = async (action: 'update' | 'rollback'): Promise<void> => {
    const { code, stderr } = await smallProject().run('service', ['rules', action], { env })
    if (code !== 0) throw new Error(stderr)
  }
  /** Offers a ruleset, updates with the command, and waits until the server uses it. */
  const update = async (number: number): Promise<void> => {
    offer.offered = makeRelease(number).bytes
    await command('update')
    await until(() => server.rules.current.version, nameRelease(number).version)
  }
  const start = () => {
    const keeper = server.startUpdates(server.rules)
    onFileEnd(() => keeper.close())
    return keeper
  }
  onFileEnd(() => server.scanner.close())
  return { ...server, dataDir, offer, command, update, start, folder: new RulesetFolder(dataDir) }
}

/** Scans a page. @returns number of the ruleset that the response names, after a check that its builder comes from that one */
export async function scan({ app }: Pick<Server, 'app'>, secret: string, page: string, more = ''): Promise<number> {
  const { status, body } = await app.call({ url: scanOf(page, `&include=meta${more}`), secret })
  expect([status, body.builder]).toEqual([200, nameBuilder(body.meta.ruleset)])
  return Number.parseInt(body.meta.ruleset, 16)
}

/**
 * Scans pages while the rules are switched several times. Each response must name a ruleset that was in use during its request, and
 * the builder must come from this one.
 * @returns the numbers of the rulesets that responses named
 */
export async function scanDuringSwitches(scans: number, switches: number): Promise<number[]> {
  const scene = await openScene()
  const site = await openSite()
  scene.offer.offered = makeRelease(1).bytes
  scene.start()
  await until(() => scene.rules.current.version, nameRelease(1).version)
  const { secret } = await scene.app.newKey({ plan: 'free' })
  const readCurrent = (): number => Number.parseInt(scene.rules.current.version, 16)
  let started = 0
  const seen = new Set<number>()
  const scanMany = async (host: number): Promise<void> => {
    while (started < scans || readCurrent() <= switches) {
      const number = started++
      const before = readCurrent()
      const found = await scan(scene, secret, site.page(host, `/${number % 7}`), number % 2 ? '&fresh=true' : '')
      expect(found).toBeGreaterThanOrEqual(before)
      expect(found).toBeLessThanOrEqual(readCurrent())
      seen.add(found)
    }
  }
  const switchMany = async (): Promise<void> => {
    for (let number = 2; number <= 1 + switches; number++) {
      await until(() => started >= (number - 1) * (scans / (switches + 1)), true)
      await scene.update(number)
    }
  }
  await Promise.all([switchMany(), ...Array.from({ length: 30 }, (_, host) => scanMany(host))])
  seen.add(await scan(scene, secret, site.page(0, '/last')))
  return [...seen].sort((a, b) => a - b)
}
