import { existsSync, readFileSync } from 'node:fs'
import net, { type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { ScanError } from '../../src/errors.ts'
import type { Site } from '../../src/fetch/fetch.ts'
import { DEFAULT_POLICY } from '../../src/fetch/policy.ts'
import { parseTarget } from '../../src/fetch/target.ts'
import { projectFolder } from '../../src/rules/built.ts'
import { skipSuite } from '../support/report-skipped.ts'
import { fetchText } from './fetch-text.ts'
import { createResolver, leftSince, openResources, openScene } from './scene.ts'
import { FOREIGN_VECTORS, findStages, type Stage, type Vector } from './stages.ts'

const file = join(projectFolder(), '..', 'shared', 'vectors', 'ssrf.json')
const hasVectors = existsSync(file)
const vectors: Vector[] = hasVectors ? JSON.parse(readFileSync(file, 'utf8')) : []
if (!hasVectors) skipSuite('attacks on the address policy', FOREIGN_VECTORS)

/** Only scenes that never respond reach a deadline; the others end by themselves. */
const policy = { ...DEFAULT_POLICY, deadlineMs: 300_000 }
const shortPolicy = { ...policy, deadlineMs: 500 }

interface Outcome {
  readonly site?: Site
  readonly error?: ScanError
  readonly requests: readonly string[]
  readonly contacts: readonly string[]
  readonly asked: readonly string[]
}

/** Plays one scan, and checks that it leaves no open resources. */
async function play({ url, answer, addresses, isTlsSilent, options, sees }: Stage): Promise<Outcome> {
  const before = openResources()
  const scene = await openScene(answer, { isTlsSilent })
  const resolver = createResolver(addresses)
  const { requests, contacts, dial } = scene
  const bounds = sees?.reason === 'deadline' ? shortPolicy : policy
  const scan = fetchText(url, { resolver, policy: bounds, dial, ...options })
  const outcome = await scan.then(
    (site) => ({ site }),
    (error) => ({ error }),
  )
  await scene.close()
  expect(await leftSince(before)).toEqual([])
  return { ...outcome, requests, contacts, asked: resolver.asked }
}

function expectRefused(text: string, { error, asked, contacts }: Outcome): void {
  expect(() => parseTarget(text, policy)).toThrow(ScanError)
  expect(error).toBeInstanceOf(ScanError)
  expect(['invalid_url', 'blocked_target']).toContain(error?.code)
  expect(asked).toEqual([])
  expect(contacts).toEqual([])
}

function expectPlayed(expected: Vector['expected'], stage: Stage, outcome: Outcome): void {
  const { site, error, requests, contacts } = outcome
  if (expected === 'allow') {
    expect(error).toBeUndefined()
    expect(site?.status).toBe(stage.sees?.status ?? 200)
    expect(contacts).not.toEqual([])
  } else {
    expect(error, `${site?.url} answered`).toBeInstanceOf(ScanError)
    expect(['scan_failed', 'scan_timeout']).toContain(error?.code)
  }
  if (stage.sees?.reason) expect(error?.reason).toBe(stage.sees.reason)
  if (stage.sees?.tlsError) expect(site?.tlsError).toBe(stage.sees.tlsError)
  if (stage.sees?.requests) expect(requests).toEqual(stage.sees.requests)
  const allowed = stage.contacts.flatMap((address) => [`${address}:80`, `${address}:443`])
  expect(contacts.filter((contact) => !allowed.includes(contact))).toEqual([])
}

describe.skipIf(!hasVectors)('216 ways to make the scanner contact a wrong host', () => {
  // A proxy from the environment would bypass the checks, so it must not be used.
  const proxy = net.createServer((socket) => socket.destroy())
  let hits = 0
  proxy.on('connection', () => hits++)
  beforeAll(async () => {
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
    const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`
    for (const name of ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'http_proxy', 'https_proxy', 'all_proxy'])
      vi.stubEnv(name, url)
    vi.stubEnv('NODE_USE_ENV_PROXY', '1')
    vi.stubEnv('NO_PROXY', '')
  })
  afterAll(async () => {
    vi.unstubAllEnvs()
    await new Promise((resolve) => proxy.close(resolve))
  })

  test('the file contains all of them', () => {
    expect(vectors).toHaveLength(216)
  })

  test.each(vectors)('$id $vector: $expected', async (vector) => {
    const stages = findStages(vector)
    expect(stages.length, 'a described scene is not implemented').toBeGreaterThan(0)
    for (const stage of stages) {
      const outcome = await play(stage)
      if (vector.expected === 'reject-400') expectRefused(stage.url, outcome)
      else expectPlayed(stage.expected ?? vector.expected, stage, outcome)
    }
    expect(hits).toBe(0)
  })
})
