import { spawnSync } from 'node:child_process'
import { rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { smallProject } from '../support/built-project.ts'
import { NODE_ARGS } from '../support/node-args.ts'
import { until } from '../support/until.ts'
import { makeFolder, spawnService, writePlans } from './start-service.ts'

/** Mounts a private disk of 4 MB and runs a program with it. */
const WITH_DISK = 'mount -t tmpfs -o size=4m tmpfs "$1" && shift && exec "$@"'
/** The log line of the listener of the metrics. */
const METRICS_PORT = /"port":(\d+),"msg":"metrics/
const folder = makeFolder()
/** Works as root, or as any user if user namespaces are allowed. */
const way = [['-m'], ['-rm']].find((one) => runWithDisk(one).status === 0)
if (way === undefined) process.stderr.write('SKIPPED service: full disk: no mount namespace can be made here\n')

function runWithDisk(flags: readonly string[]): { readonly status: number | null } {
  return spawnSync('unshare', [...flags, 'sh', '-c', WITH_DISK, 'sh', folder, 'true'])
}

/** Fills the disk. */
function fill(file: string): void {
  for (const bytes of [65_536, 1]) {
    try {
      for (;;) writeFileSync(file, Buffer.alloc(bytes), { flag: 'a' })
    } catch (error) {
      expect((error as NodeJS.ErrnoException).code).toBe('ENOSPC')
    }
  }
}

test.skipIf(way === undefined)(
  'a full disk shows in readiness, metric and log, and so does its end',
  async () => {
    const PLANS_FILE = writePlans({ free: [1_000_000, 1_000_000] })
    const settings = { PATH: String(process.env.PATH), DATA_DIR: join(folder, 'data'), METRICS_PORT: '0', PLANS_FILE }
    const start = [process.execPath, ...NODE_ARGS, 'tools/start.mjs', 'src/main']
    const args = [...(way ?? []), 'sh', '-c', WITH_DISK, 'sh', folder, ...start]
    const { url, key, child, printed, ended } = await spawnService('unshare', args, {
      project: smallProject(),
      settings,
    }).listening
    await until(() => METRICS_PORT.test(printed.stderr), true) // The metrics are served a moment later than the API.
    const inside = join('/proc', String(child.pid), 'root', folder)
    expect(statSync(join(inside, 'data', 'siteprint.db')).size).toBeGreaterThan(0)
    const statusOf = async (path: string): Promise<number> =>
      (await fetch(url + path, { headers: { 'x-api-key': key } })).status
    const upOf = async (): Promise<string | undefined> => {
      const port = METRICS_PORT.exec(printed.stderr)?.[1]
      return /^siteprint_store_up (\d)$/m.exec(await (await fetch(`http://127.0.0.1:${port}/metrics`)).text())?.[1]
    }
    const statesOf = async (): Promise<unknown> => [await statusOf('/health/ready'), await upOf()]
    /** Log lines about the store. */
    const told = (): string[] => printed.stderr.split('\n').filter((line) => line.includes('embedded store'))

    expect([await statusOf('/api/v1/me'), await statesOf()]).toEqual([200, [200, '1']])
    fill(join(inside, 'filler'))
    await until(() => statusOf('/api/v1/me'), 503)
    for (let n = 0; n < 8; n++) {
      expect([await statusOf('/api/v1/me'), await statesOf()]).toEqual([503, [503, '0']])
      await new Promise((resolve) => setTimeout(resolve, 300))
    }
    expect(told()).toEqual([expect.stringMatching(/"level":"warn".*SQLITE_FULL/)])
    rmSync(join(inside, 'filler'))
    await until(statesOf, [200, '1'])
    expect(await statusOf('/api/v1/me')).toBe(200)
    await until(() => told().length, 2)
    expect(told()[1]).toMatch(/"level":"info".*can be written again/)
    child.kill('SIGTERM')
    expect(await ended).toBe(0)
  },
  60_000,
)
