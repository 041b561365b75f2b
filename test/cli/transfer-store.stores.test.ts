import { readFileSync, statSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { at, openFilledStore, openTool, secret, service, usable } from './filled-store.ts'
import { type Env, KEY_PEPPER, newStoreEnv } from './store-scene.ts'

const target = newStoreEnv('the command import')
const shared: Env = { ...target, KEY_PEPPER }

describe.skipIf(target === null)('from an embedded store to another store and back', () => {
  test('everything arrives unchanged, and charges continue', async () => {
    const { source, file, read } = await openFilledStore()
    const back: Env = { DATA_DIR: file('back'), KEY_PEPPER }
    const before = await read(source)
    const { code, stdout, stderr } = await service(source, 'export', file('first'))
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' })
    expect(stderr).toMatch(/^Exported 26 rows to \S+first\. The file contains personal data: keep it safe\.\n$/)
    expect(statSync(file('first')).mode & 0o777).toBe(0o600)
    const text = readFileSync(file('first'), 'utf8')
    for (const one of [secret, KEY_PEPPER]) expect(text).not.toContain(one)
    const imported = { code: 0, stdout: '', stderr: `Imported 26 rows from ${file('first')}.\n` }
    expect(await service(shared, 'import', file('first'))).toEqual(imported)
    expect(await read(shared)).toEqual(before)

    // A server may use MongoDB at the same time.
    if (shared.MONGODB_URL !== undefined)
      expect((await service(shared, 'export', file('second'))).stderr).toContain('run "service maintenance on"')
    await service(shared, 'maintenance', 'on')
    expect((await service(shared, 'export', file('second'))).code).toBe(0)
    const lines = readFileSync(file('second'), 'utf8').split('\n')
    // The switch was recorded.
    expect(lines.filter((line) => !line.includes('maintenance_on')).slice(0, -2)).toEqual(text.split('\n').slice(0, -2))
    expect((await service(back, 'import', file('first'))).code).toBe(0)
    expect(await read(back)).toEqual(before)
    const { store } = await openTool(back)
    expect(await store.usage.charge({ counter: usable.id, day: '2026-05-31', quota: 99, at: at(999) })).toBe(4)
    await store.close()
  })
})
