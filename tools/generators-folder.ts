import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { projectFolder } from '../src/rules/built.ts'

/**
 * Returns the folder with the installed generators (`venv/` and `node_modules/`), or null without them. Standard error then says what
 * is skipped.
 * @param what what is skipped
 * @throws Error with `REQUIRE_SERVICES=1` instead of returning null
 */
export function findGenerators(what: string): string | null {
  const script = join(projectFolder(), 'tools/generators.sh')
  const { status, stdout, stderr } = spawnSync(script, ['folder', what], { encoding: 'utf8' })
  if (status !== 0) throw new Error(stderr)
  process.stderr.write(stderr)
  return stdout.trim() || null
}
