import { generateKeyPairSync } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { openPool } from '../../src/detector/worker-pool.ts'
import type { ReleaseSource } from '../../src/rules/release-file.ts'
import { RulesetFolder } from '../../src/updates/ruleset-folder.ts'
import { tryRelease } from '../../src/updates/try-release.ts'
import { rollBackRules, type UpdateParts, updateRules } from '../../src/updates/update-rules.ts'
import { builtWorker } from '../detector/built-worker.ts'
import { smallProject } from '../support/built-project.ts'
import { writeFolder } from '../support/rule-folder.ts'
import {
  changeManifest,
  makeRelease,
  nameRelease,
  openReleaseServer,
  PUBLIC_KEY,
  type ReleaseServer,
  SITEPRINT,
} from './test-release.ts'

interface Scene extends UpdateParts {
  readonly dataDir: string
  readonly server: ReleaseServer
  /** Offers a file and updates. */
  readonly update: (offered: ReleaseServer['offered'], signal?: AbortSignal) => Promise<string>
  /** Makes a ruleset active without a trial, which takes the start of a worker. */
  readonly activate: (number: number) => void
  /** Versions: active, previous, rolled back; then the names of the files. */
  readonly read: () => readonly unknown[]
}

const server = await openReleaseServer()
const { privateKey: otherKey } = generateKeyPairSync('ed25519')

function openScene(): Scene {
  const dataDir = join(writeFolder({}), 'data')
  const folder = new RulesetFolder(dataDir)
  const parts = { folder, url: server.url, publicKey: PUBLIC_KEY, siteprint: SITEPRINT }
  const open = (release: ReleaseSource) =>
    openPool({ release, threads: 1, spares: 0, worker: builtWorker(smallProject()) })
  const update: Scene['update'] = async (offered, signal = new AbortController().signal) => {
    server.offered = offered
    const tryOut = async (release: ReleaseSource): Promise<void> => {
      await (await tryRelease(release, open, signal)).pool.close()
    }
    const { kind, release } = await updateRules(parts, tryOut, signal)
    return `${kind} ${release.version}`
  }
  const activate = (number: number): void => {
    const { release, bytes } = makeRelease(number)
    folder.storeFile(release, bytes)
    folder.writeState({ active: release, previous: folder.readState().active, rolledBack: null })
  }
  const read = (): readonly unknown[] => {
    const { active, previous, rolledBack } = folder.readState()
    const files = existsSync(join(dataDir, 'rulesets')) ? readdirSync(join(dataDir, 'rulesets')).sort() : []
    return [active, previous, rolledBack].map((one) => one && Number.parseInt(one.version, 16)).concat(files as never)
  }
  return { ...parts, dataDir, server, update, activate, read }
}

const fileOf = (number: number): string => `${nameRelease(number).version}.rules`

test('a newer ruleset is fetched, tried and active; the former one stays for a rollback', async () => {
  const { update, read, server } = openScene()
  expect(await update(makeRelease(1).bytes)).toBe(`updated ${nameRelease(1).version}`)
  expect(read()).toEqual([1, null, null, fileOf(1), 'state.json'])
  server.requests = 0
  expect(await update(makeRelease(1).bytes)).toBe(`current ${nameRelease(1).version}`)
  expect(server.requests).toBe(1)
  await update(makeRelease(2).bytes)
  await update(makeRelease(3).bytes)
  expect(read()).toEqual([3, 2, null, fileOf(2), fileOf(3), 'state.json'])
})

test('a ruleset that was rolled back is not used again until a newer one appears', async () => {
  const { update, activate, read, ...parts } = openScene()
  for (const number of [1, 2]) activate(number)
  expect(rollBackRules(parts)).toEqual({ from: nameRelease(2), to: nameRelease(1) })
  expect(await update(makeRelease(2).bytes)).toBe(`rolled-back ${nameRelease(2).version}`)
  expect(await update(makeRelease(1).bytes)).toBe(`current ${nameRelease(1).version}`)
  expect(read().slice(0, 3)).toEqual([1, null, 2])
  expect(rollBackRules(parts)).toEqual({ from: nameRelease(1), to: null })
  expect(() => rollBackRules(parts)).toThrow('the built-in rules are in use: there is nothing to roll back to')
  expect(await update(makeRelease(1).bytes)).toBe(`rolled-back ${nameRelease(1).version}`)
  expect(await update(makeRelease(3).bytes)).toBe(`updated ${nameRelease(3).version}`)
  expect(read()).toEqual([3, null, null, fileOf(3), 'state.json'])
})

describe('a ruleset that is refused changes nothing, and a sentence says why', () => {
  const good = makeRelease(6).bytes
  const foreign = changeManifest(good, (one) => one).fill(0x41, good.indexOf('\n') + 1, good.indexOf('\n') + 20)
  test.each<[string, ReleaseServer['offered'], RegExp]>([
    ['with a wrong signature', foreign, /the signature of the file is not valid/],
    ['cut at its end', good.subarray(0, -100), /the file is cut: it has \d+ of \d+ bytes/],
    ['cut in its first line', good.subarray(0, 50), /not a released ruleset, or it is cut/],
    [
      'of a newer format',
      changeManifest(good, (one) => ({ ...one, format: 3 })),
      /is newer than 2.*: upgrade Siteprint/,
    ],
    ['an older one', makeRelease(4).bytes, /version 0{15}4 of 2026-11-01 is not newer than version 0{15}5 of/],
    [
      'made with an older version of Siteprint',
      makeRelease(6, { release: { siteprint: '0.0.9' } }).bytes,
      /made with Siteprint 0\.0\.9, so the built-in rules of this version, 0\.1\.0, are newer/,
    ],
    [
      'that fails a case',
      makeRelease(6, { builder: 'Wix' }).bytes,
      /conformance case 1 \(https:\/\/larkfield\.example\/\) has builder "WordPress by 0{15}6" instead of "Wix"/,
    ],
    ['without cases', makeRelease(6, { cases: [] }).bytes, /the file has no conformance cases/],
    ['with a place that is not known', makeRelease(6, { place: 'aura' }).bytes, /cannot load the ruleset \(.*"aura"/],
    ['from a server that fails', (response) => response.writeHead(500).end(), /the server responded with status 500/],
    [
      'from a server that stops in the middle',
      (response) =>
        response
          .writeHead(200, { 'content-length': good.length })
          .write(good.subarray(0, -300), () => response.destroy()),
      /the file is cut: it has \d+ of \d+ bytes/,
    ],
  ])('%s', async (_, offered, sentence) => {
    const { update, activate, read } = openScene()
    activate(5)
    const error = await update(offered).catch((reason: unknown) => reason)
    expect(String(error)).toMatch(sentence)
    expect(String(error)).toContain(`no new rules from ${server.url}: `)
    expect(read()).toEqual([5, null, null, fileOf(5), 'state.json'])
  })
})

test('an update that is aborted while the file is sent changes nothing', async () => {
  const { update, activate, read } = openScene()
  activate(1)
  const controller = new AbortController()
  const next = makeRelease(2).bytes
  const requests: number[] = []
  const sendHalf: ReleaseServer['offered'] = (response) => {
    if (requests.push(0) === 1) response.end(next)
    else response.write(next.subarray(0, 200), () => controller.abort(new Error('the server stops')))
  }
  await expect(update(sendHalf, controller.signal)).rejects.toThrow('the server stops')
  expect([requests.length, ...read()]).toEqual([2, 1, null, null, fileOf(1), 'state.json'])
})

test('what a killed process has left is not used, and is removed after an hour', async () => {
  const { update, activate, read, dataDir } = openScene()
  activate(1)
  const [old, recent] = ['old', 'new'].map((name) => join(dataDir, 'rulesets', `${fileOf(2)}.${name}.part`))
  for (const part of [old, recent]) writeFileSync(part, 'half')
  utimesSync(old, 1, 1)
  await update(makeRelease(3).bytes)
  expect(read().slice(0, 2)).toEqual([3, 1])
  expect([existsSync(old), existsSync(recent)]).toEqual([false, true])
})

test('a stored ruleset that was damaged, or signed with a former key, is fetched again', async () => {
  const { update, activate, read, folder } = openScene()
  const { bytes, release } = makeRelease(1)
  activate(1)
  for (const damaged of [bytes.subarray(0, -1), changeManifest(bytes, (one) => one, otherKey), Buffer.alloc(0)]) {
    folder.storeFile(release, damaged)
    expect(await update(bytes)).toBe(`updated ${release.version}`)
    expect(readFileSync(folder.nameFile(release)).equals(bytes)).toBe(true)
    expect(read()).toEqual([1, null, null, fileOf(1), 'state.json'])
  }
})

test('a later version of Siteprint, a missing file and no folder: the built-in rules are used', () => {
  const { activate, folder } = openScene()
  expect(folder.readUsable(SITEPRINT).active).toBeNull()
  for (const number of [1, 2]) activate(number)
  expect(folder.readUsable(SITEPRINT)).toMatchObject({ active: nameRelease(2), previous: nameRelease(1) })
  expect(folder.readUsable('0.2.0')).toMatchObject({ active: null, previous: null })
  folder.removeFile(nameRelease(2))
  expect(folder.readUsable(SITEPRINT)).toMatchObject({ active: null, previous: nameRelease(1) })
})

test.each(['', 'null', '[]', '{"active":{"version":"../x"},"previous":null,"rolledBack":null}'])(
  'a damaged state is reported: %s',
  (text) => {
    const { activate, folder, dataDir } = openScene()
    activate(1)
    writeFileSync(join(dataDir, 'rulesets', 'state.json'), text)
    expect(() => folder.readUsable(SITEPRINT)).toThrow('state.json is damaged: remove it to use the built-in rules')
  },
)

test('the commands update, roll back and print what is in use', async () => {
  const dataDir = join(writeFolder({}), 'data')
  const env = { DATA_DIR: dataDir, RULES_URL: server.url, RULES_PUBLIC_KEY: PUBLIC_KEY }
  const run = async (action: string, change: Readonly<Record<string, string>> = {}): Promise<string> => {
    const { code, stdout, stderr } = await smallProject().run('service', ['rules', action], {
      env: { ...env, ...change },
    })
    return `${code} ${stdout}${stderr}`
  }
  const [one, two] = [1, 2].map((number) => `version ${nameRelease(number).version} of 2026-11-01`)
  const SWITCH = 'A running server switches to them within 5 seconds, after it has loaded them.'
  server.offered = makeRelease(1).bytes
  expect(await run('status')).toBe('0 In use: the built-in rules\n')
  expect(await run('update')).toBe(`0 The rules were updated to ${one}. ${SWITCH}\n`)
  expect(await run('update')).toBe(`0 The rules are up to date: ${one}.\n`)
  server.offered = makeRelease(2).bytes
  await run('update')
  expect(await run('status')).toBe(`0 In use: ${two}\nA rollback returns to: ${one}\n`)
  expect(await run('rollback')).toBe(`0 Rolled back from ${two} to ${one}. ${SWITCH}\n`)
  expect(await run('update')).toMatch(/^0 The rules stay as they are: version .* was rolled back, or is older/)
  expect(await run('status')).toContain(`Rolled back, until a newer one appears: ${two}\n`)
  const { code, stdout } = await smallProject().run('service', ['check'], { env })
  expect([code, stdout]).toEqual([
    0,
    expect.stringContaining(`ok       rules     valid, fetched from RULES_URL: ${one}\n`),
  ])
  writeFileSync(
    join(dataDir, 'rulesets', fileOf(1)),
    readFileSync(join(dataDir, 'rulesets', fileOf(1))).subarray(0, -999),
  )
  expect((await smallProject().run('service', ['check'], { env })).stdout).toMatch(
    /^warning {2}rules {5}the built-in rules are used, because .*: the file is cut/m,
  )
  server.offered = makeRelease(3, { builder: 'Wix' }).bytes
  expect(await run('update')).toMatch(/^2 no new rules from .*: conformance case 1 /)
  expect(await run('update', { RULES_URL: '' })).toMatch(/^2 RULES_URL is not set: /)
  expect(await run('upgrade')).toMatch(/^2 rules has no action "upgrade": use one of status, update, rollback/)
})
