import { execFileSync } from 'node:child_process'
import { copyFileSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import type { ComposeFile, ComposeService } from '../support/compose-file.ts'
import { kitPath, makeTemporaryFolder, readKit, readYaml } from './kit.ts'

interface Compose extends ComposeFile<ComposeService> {
  readonly secrets: Readonly<Record<string, { readonly file: string }>>
}

const [compose] = readYaml<Compose>('compose/compose.yaml')

describe('make-secrets.sh', () => {
  const folder = makeTemporaryFolder()
  const script = join(folder, 'make-secrets.sh')
  const run = (): Record<string, string> => {
    execFileSync('sh', [script])
    const names = readdirSync(join(folder, 'secrets'))
    return Object.fromEntries(names.map((name) => [name, readFileSync(join(folder, 'secrets', name), 'utf8').trim()]))
  }
  let secrets: Record<string, string>
  beforeAll(() => {
    copyFileSync(kitPath('compose/make-secrets.sh'), script)
    secrets = run()
  })

  test('creates every secret in a folder that only its owner can open, and changes none of them', () => {
    const names = Object.values(compose.secrets).map(({ file }) => file)
    expect(names.sort()).toEqual(Object.keys(secrets).map((name) => `secrets/${name}`))
    expect(statSync(join(folder, 'secrets')).mode & 0o777).toBe(0o700)
    expect(run()).toEqual(secrets)
    expect(readKit('../.gitignore')).toContain('/deploy/compose/secrets/\n')
  })

  test('writes URLs with the passwords and members of the stores', () => {
    const redis = new URL(secrets['redis-url'])
    expect([redis.password, redis.hostname in compose.services]).toEqual([secrets['redis-password'], true])
    const [, user, password, hosts, rest] = /^mongodb:\/\/(\w+):(\w+)@([^/]+)(\/.*)$/.exec(secrets['mongodb-url']) ?? []
    expect([user, password, rest]).toEqual([
      'siteprint',
      secrets['mongodb-password'],
      '/siteprint?replicaSet=siteprint',
    ])
    const script = readKit('compose/init-replica-set.js')
    expect(script).toContain(`HOSTS = '${hosts}'`)
    for (const host of hosts.split(',')) expect(Object.keys(compose.services)).toContain(host.split(':')[0])
    expect(Number(secrets['mongodb-keyfile'].length)).toBeLessThan(1024)
    for (const secret of ['key-pepper', 'auth-secret']) expect(secrets[secret].length).toBeGreaterThanOrEqual(32)
  })
})
