import { type Config, loadConfig } from '../../config/config.ts'
import { openPool } from '../../detector/worker-pool.ts'
import { describeRelease, type Release, type ReleaseSource } from '../../rules/release-file.ts'
import { buildUpdateParts } from '../../updates/find-rules.ts'
import { tryRelease } from '../../updates/try-release.ts'
import { describeOutcome, rollBackRules, type UpdateParts, updateRules } from '../../updates/update-rules.ts'
import { formatChoice } from '../../yaml/hint.ts'
import { type CommandIo, EXIT, UsageError } from '../command/command.ts'
import type { Given } from '../command/verbs.ts'
import { readVersion } from '../command/version.ts'

type RulesAction = (parts: UpdateParts, config: Config) => Promise<string> | string

const SWITCH = 'A running server switches to them within 5 seconds, after it has loaded them.'
const ACTIONS: Readonly<Record<string, RulesAction>> = {
  status: describeState,
  update,
  rollback: (parts) => {
    const { from, to } = rollBackRules(parts)
    return `Rolled back from ${describeRelease(from)} to ${describe(to)}. ${SWITCH}`
  },
}

/** The verb `rules`: fetches newer rules, returns to the former ones, or prints which are in use. */
export function changeRules({ args: [name] }: Given, io: CommandIo): () => Promise<number> {
  if (!Object.hasOwn(ACTIONS, name))
    throw new UsageError(`rules has no action "${name}"${formatChoice(name, Object.keys(ACTIONS))}`)
  return async () => {
    const config = loadConfig(io.env)
    const parts = buildUpdateParts(config, readVersion())
    io.stdout.write(`${await ACTIONS[name](parts, config)}\n`)
    return EXIT.ok
  }
}

async function update(parts: UpdateParts, { detectorModules: detectors }: Config): Promise<string> {
  const { signal } = new AbortController()
  const tryOut = async (release: ReleaseSource): Promise<void> => {
    const open = (source: ReleaseSource) => openPool({ detectors, release: source, threads: 1, spares: 0 })
    const { pool } = await tryRelease(release, open, signal)
    await pool.close()
  }
  const outcome = await updateRules(parts, tryOut, signal)
  return outcome.kind === 'updated' ? `${describeOutcome(outcome)} ${SWITCH}` : describeOutcome(outcome)
}

function describeState({ folder, siteprint }: UpdateParts): string {
  const { active, previous, rolledBack } = folder.readUsable(siteprint)
  const lines = [`In use: ${describe(active)}`]
  if (active !== null) lines.push(`A rollback returns to: ${describe(previous)}`)
  if (rolledBack !== null) lines.push(`Rolled back, until a newer one appears: ${describe(rolledBack)}`)
  return lines.join('\n')
}

function describe(release: Release | null): string {
  return release === null ? 'the built-in rules' : describeRelease(release)
}
