import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { projectFolder } from '../src/rules/built.ts'

/** The output of `services.sh status` as `{ NAME: value }`. It is empty if no server runs or bash is missing. */
export function servicesStatus(...words: readonly string[]): Readonly<Record<string, string>> {
  const script = join(projectFolder(), 'tools', 'services.sh')
  const { stdout } = spawnSync('bash', [script, 'status', ...words], { encoding: 'utf8' })
  return Object.fromEntries([...(stdout ?? '').matchAll(/^(\w+)=(.+)$/gm)].map(([, name, value]) => [name, value]))
}
