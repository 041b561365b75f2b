import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { projectFolder } from '../src/rules/built.ts'

/** What `services.sh status` prints, as `{ NAME: value }`: nothing where nothing runs, or there is no bash. */
export function servicesStatus(...words: readonly string[]): Readonly<Record<string, string>> {
  const script = join(projectFolder(), 'tools', 'services.sh')
  const { stdout } = spawnSync('bash', [script, 'status', ...words], { encoding: 'utf8' })
  return Object.fromEntries([...(stdout ?? '').matchAll(/^(\w+)=(.+)$/gm)].map(([, name, value]) => [name, value]))
}
