import { hostname } from 'node:os'
import { describe, expect, test } from 'vitest'
import { type Outcome, smallProject } from '../support/built-project.ts'
import { newStoreEnv, openStoreScene, type StoreScene } from './store-scene.ts'

const SUITE = 'the command service'

/** Commands on the store of a scene. */
interface ServiceScene extends StoreScene {
  readonly service: (...args: string[]) => Promise<Outcome>
}

async function openServiceScene(): Promise<ServiceScene> {
  const scene = await openStoreScene(SUITE)
  return { ...scene, service: (...args) => smallProject().run('service', args, { env: scene.env }) }
}

describe.skipIf(newStoreEnv(SUITE) === null)('service, while a server uses the store', () => {
  test('the switches change, and each change is recorded', async () => {
    const { store, service } = await openServiceScene()
    const steps: readonly (readonly [line: string, maintenance: boolean, api: boolean])[] = [
      ['maintenance status', false, true],
      ['maintenance on', true, true],
      ['maintenance on', true, true],
      ['api status', true, true],
      ['api off', true, false],
      ['maintenance off', false, false],
      ['api status', false, false],
      ['api on', false, true],
    ]
    for (const [line, maintenance, api] of steps) {
      const stdout = `{"maintenance":${maintenance},"api":${api}}\n`
      expect(await service(...line.split(' ')), line).toEqual({ code: 0, stdout, stderr: '' })
      expect(await store.settings.switches(), line).toEqual({ maintenance, apiOff: !api })
      const [verb, state] = line.split(' ')
      const [newest] = await store.audit.listAudit({ account: null, limit: 1 })
      const by = { actor: null, account: null, command: `service ${verb}`, machine: hostname() }
      if (state !== 'status') expect(newest, line).toMatchObject({ action: `${verb}_${state}`, ...by })
    }
  })

  test('audit lists what was done, oldest first', async () => {
    const { store, service } = await openServiceScene()
    for (let round = 0; round < 2; round++) await service('maintenance', 'on')
    const nothing = { actor: null, account: null, key: null, detail: null, command: null, machine: 'node-1' }
    const changed = {
      ...nothing,
      action: 'plan_changed',
      actor: 'acc_1',
      account: 'acc_2',
      key: 'key_1',
      detail: 'pro',
    }
    await store.audit.addAudit({ ...changed, at: new Date('2099-01-02T03:04:05.678Z'), action: 'plan_changed' })
    const all = (await service('audit', '--json')).stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(all.slice(0, 2).map(({ action }) => action)).toEqual(['maintenance_on', 'maintenance_on'])
    expect(all.at(-1)).toEqual({ ...changed, at: '2099-01-02T03:04:05.678Z', count: 1, firstAt: null })
    const { stdout } = await service('audit', '--since', '2099-01-02')
    expect(stdout).toBe(
      'TIME                      ACTION        DETAIL  BY     MACHINE  ACCOUNT  KEY\n' +
        '2099-01-02T03:04:05.678Z  Plan changed  pro     acc_1  node-1   acc_2    key_1\n',
    )
    expect((await service('audit', '--since', '10m', '--json')).stdout.trimEnd().split('\n').length).toBe(all.length)
    const none = { code: 0, stdout: '', stderr: 'Nothing is recorded in this time.\n' }
    expect(await service('audit', '--since', '2099-01-03')).toEqual(none)
  })
})
