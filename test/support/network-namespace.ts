import { spawn, spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { projectFolder } from '../../src/rules/built.ts'
import { NODE_ARGS } from './node-args.ts'
import type { Need } from './report-skipped.ts'

/** What a suite needs that runs in a network namespace. */
export const NAMESPACE: Need = {
  what: 'a network namespace',
  todo: 'run as root, or as a user who may create network namespaces, with ip (iproute2) and unshare (util-linux)',
}

/** Set in the environment of processes inside the namespace. */
const MARK = 'SITEPRINT_NAMESPACE'
/** Only loopback, with a route for every address: a forbidden connection is seen, and nothing leaves the machine. */
export const SET_UP = 'ip link set lo up && ip route add local 0.0.0.0/0 dev lo && ip -6 route add local ::/0 dev lo'

/** Whether this process runs in such a namespace, where every address is this machine. */
export const isInside = process.env[MARK] !== undefined

/** Finds the options of `unshare` that work here, as root or as another user; null if none do. */
export function findUnshare(): readonly string[] | null {
  const ways = [['-n'], ['-rn']]
  return ways.find((way) => spawnSync('unshare', [...way, 'sh', '-c', SET_UP]).status === 0) ?? null
}

/** Runs a test file in a namespace with loopback only. Resolves with the output of Vitest; rejects if a test failed. */
export function runInside(
  way: readonly string[],
  file: string,
  environment: Readonly<Record<string, string>>,
): Promise<string> {
  const vitest = join(projectFolder(), 'node_modules', 'vitest', 'vitest.mjs')
  const child = spawn(
    'unshare',
    [
      ...way,
      'sh',
      '-c',
      `${SET_UP} && exec "$@"`,
      'sh',
      process.execPath,
      ...NODE_ARGS,
      vitest,
      'run',
      '--reporter=dot',
      file,
    ],
    { cwd: projectFolder(), env: { ...process.env, NO_COLOR: '1', ...environment, [MARK]: '1' } },
  )
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk))
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (status) => (status === 0 ? resolve(output) : reject(new Error(output))))
  })
}
