import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { kitPath, loadKitConfig, makeTemporaryFolder, readKit } from './kit.ts'
import { findVersion } from './programs.ts'

const version = findVersion('systemd-analyze')
const NOT_INSTALLED = 'systemd-analyze is not installed (Debian: package systemd): the unit was not verified'
/** The exposure that systemd computes from the sandbox of a unit: 0 to 100, of which up to 20 is "OK" or better. */
const MAX_EXPOSURE = 20

/** Reads the values of a key in a unit. */
const readValues = (file: string, key: string): string[] =>
  [...readKit(`systemd/${file}`).matchAll(new RegExp(`^${key}=(.*)$`, 'gm'))].map(([, value]) => value)

/** Installs the unit and its drop-in as deploy/README.md describes. @returns the folder of the units */
function installUnit(): string {
  const folder = makeTemporaryFolder()
  cpSync(kitPath('systemd/siteprint.service'), join(folder, 'siteprint.service'))
  mkdirSync(join(folder, 'siteprint.service.d'))
  cpSync(kitPath('systemd/stores.conf'), join(folder, 'siteprint.service.d', 'stores.conf'))
  return folder
}

describe('the unit', () => {
  test('is accepted by systemd-analyze, without warnings', ({ skip }) => {
    if (version === null) skip(NOT_INSTALLED)
    if (!existsSync('/usr/bin/node')) skip('Node is not /usr/bin/node: the unit names that path and was not verified')
    const env = { PATH: String(process.env.PATH), SYSTEMD_UNIT_PATH: `${installUnit()}:` }
    const { status, stdout, stderr } = spawnSync('systemd-analyze', ['verify', 'siteprint.service'], {
      env,
      encoding: 'utf8',
    })
    expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: '', stderr: '' })
  })

  test('is sandboxed', ({ skip }) => {
    if (version === null) skip(NOT_INSTALLED)
    const unit = join(installUnit(), 'siteprint.service')
    const args = ['security', '--offline=true', '--no-pager', `--threshold=${MAX_EXPOSURE}`, unit]
    expect(execFileSync('systemd-analyze', args, { encoding: 'utf8' })).toContain('Overall exposure level')
  })

  test('has settings that exist, and starts, reloads and stops as the documents describe', () => {
    const entries = readValues('siteprint.service', 'Environment').map((pair) => pair.split('='))
    expect(loadKitConfig(Object.fromEntries(entries), '%d/')).toMatchObject({
      dataDir: `/var/lib/${readValues('siteprint.service', 'StateDirectory')[0]}`,
      metricsPort: 9464,
      metricsHost: '127.0.0.1',
    })
    expect(readValues('siteprint.service', 'ExecStart')).toEqual(['/usr/bin/node dist/src/main.js'])
    expect(readValues('siteprint.service', 'ExecReload')).toEqual(['/bin/kill -HUP $MAINPID'])
    const [, grace] = /Allow (\d+) seconds\s+before SIGKILL/.exec(readKit('../docs/operating.md')) ?? []
    expect(readValues('siteprint.service', 'TimeoutStopSec')).toEqual([grace])
    const [user] = readValues('siteprint.service', 'User')
    expect(readKit('systemd/siteprint.sysusers')).toMatch(new RegExp(`^u ${user} `, 'm'))
  })

  test('the drop-in passes each secret as a file', () => {
    const credentials = readValues('stores.conf', 'LoadCredential').map((credential) => credential.split(':'))
    for (const [name, path] of credentials) expect(path).toBe(`/etc/siteprint/${name}`)
    const entries = readValues('stores.conf', 'Environment').map((pair) => pair.split('='))
    expect(entries.map(([, path]) => path)).toEqual(credentials.map(([name]) => `%d/${name}`))
    const { keyPepper, authSecret, mongodbUrl, redisUrl } = loadKitConfig(Object.fromEntries(entries), '%d/')
    expect([keyPepper, authSecret, mongodbUrl, redisUrl]).not.toContain(null)
  })
})
