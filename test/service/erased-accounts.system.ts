import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openStore } from '../../src/store/open/open-store.ts'
import { smallProject } from '../support/built-project.ts'
import { makeFolder, startService } from './start-service.ts'

const PASSWORD = 'seven boats on a quiet lake'
const NAMES = ['Ida to Forget', 'Ida the Second']
const EMAILS = ['ida.to.forget@a.example', 'ida.the.second@a.example']

/** A browser that keeps the cookies of the portal. */
function openBrowser(url: string) {
  const cookies = new Map<string, string>()
  return async (path: string, form: Readonly<Record<string, string>>): Promise<number> => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const request = { method: 'POST', body: new URLSearchParams(form), headers: { origin: url, cookie } }
    const response = await fetch(url + path, { ...request, redirect: 'manual' })
    for (const one of response.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(one) ?? []
      cookies.set(name, value)
    }
    return response.status
  }
}

/** The texts that any file below a folder contains. */
function findIn(folder: string, texts: readonly string[]): readonly string[] {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  const contents = files.map(({ parentPath, name }) => readFileSync(join(parentPath, name), 'latin1'))
  return texts.filter((text) => contents.some((content) => content.includes(text)))
}

test('a deleted account leaves no name and address in the files, while the service runs, after its end and in an export', async () => {
  const folder = makeFolder()
  const data = join(folder, 'data')
  const settings = { DATA_DIR: data, PORTAL: 'on', SIGNUP: 'open' }
  const service = await startService(smallProject(), settings)
  const send = openBrowser(service.url)
  const all = [...NAMES, ...EMAILS]
  expect(await send('/signup', { name: NAMES[0], email: EMAILS[0], password: PASSWORD })).toBe(200)
  expect(await send('/account/settings/name', { name: NAMES[1] })).toBe(303)
  expect(await send('/account/settings/email', { email: EMAILS[1], 'email-password': PASSWORD })).toBe(303)
  expect(findIn(folder, all)).toEqual(expect.arrayContaining([NAMES[1], EMAILS[1]]))
  expect(await send('/account/delete', { confirmation: 'delete', password: PASSWORD })).toBe(303)
  expect(findIn(folder, all)).toEqual([])
  const other = openBrowser(service.url)
  expect(await other('/signup', { name: 'Ben Okoye', email: 'ben@a.example', password: PASSWORD })).toBe(200)
  expect(findIn(folder, [...all, 'ben@a.example'])).toEqual(['ben@a.example'])
  service.child.kill('SIGTERM')
  expect(await service.ended).toBe(0)
  expect(findIn(folder, all)).toEqual([])
  const run = (...args: string[]) => smallProject().run('service', args, { env: { DATA_DIR: data } })
  expect(await run('export', join(folder, 'exported'))).toMatchObject({ code: 0 })
  expect(await run('backup', join(folder, 'backup'))).toMatchObject({ code: 0 })
  expect(findIn(folder, all)).toEqual([])
})

test('a running server deletes audit entries that are older than AUDIT_DAYS', async () => {
  const dataDir = join(makeFolder(), 'data')
  const open = () => openStore({ dataDir, mongodbUrl: null, keyPepper: null }, { role: 'tool' })
  const { store } = await open()
  const nothing = { actor: null, account: 'acc_1', key: null, detail: null, command: null, machine: null }
  const ages = [1, 3, 5].map((days) => new Date(Date.now() - days * 86_400_000))
  for (const at of ages) await store.audit.addAudit({ ...nothing, at, action: 'plan_changed' })
  const service = await startService(smallProject(), { DATA_DIR: dataDir, AUDIT_DAYS: '4' })
  const listed = async () => (await store.audit.listAudit({ account: 'acc_1' })).map(({ at }) => at)
  await expect.poll(listed, { timeout: 10_000 }).toEqual([ages[1], ages[0]])
  await store.close()
  service.child.kill('SIGTERM')
  expect(await service.ended).toBe(0)
})
