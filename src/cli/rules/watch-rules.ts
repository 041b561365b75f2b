import { existsSync, statSync } from 'node:fs'
import { relative, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createDeferred } from '../../async/deferred.ts'
import { type CommandIo, EXIT, UsageError } from '../command/command.ts'
import { formatError } from '../command/format-error.ts'
import type { Given } from '../command/verbs.ts'
import { lint } from './lint-rules.ts'
import { addFolders } from './named-rules.ts'
import type { LoadedRules, RuleWork } from './rule-work.ts'
import { testRules } from './test-rules.ts'

/** An editor writes several files at once, or one in several steps. */
const SETTLE_MS = 50
const TEST_TIMEOUT_MS = 10_000

/** Watches rule folders, and checks and tests the rules whose files change, until the process is stopped. */
export function watchRules({ args }: Given, io: CommandIo): RuleWork {
  for (const folder of args)
    if (!existsSync(folder) || !statSync(folder).isDirectory()) throw new UsageError(`there is no folder "${folder}"`)
  return async (loaded) => {
    const folders = addFolders(loaded.folders, args)
    const { watch } = await import('chokidar') // Imported on demand: no other verb needs it.
    const changes = new ChangedFiles()
    const watcher = watch([...folders], { ignoreInitial: true, ignored: (path) => /[\\/]\.[^\\/]*$/.test(path) })
    watcher.on('all', (event, path) => {
      if (event !== 'addDir' && event !== 'unlinkDir') changes.add(resolve(path))
    })
    await new Promise<void>((ready) => void watcher.once('ready', ready))
    io.stderr.write(`watching ${folders.map((folder) => relative('.', folder) || '.').join(', ')}; Ctrl-C stops\n`)
    for (;;) await checkChanged(await changes.take(), { ...loaded, folders }, io)
  }
}

/** Collects the files that change until they are taken. */
class ChangedFiles {
  #files = new Set<string>()
  #some = createDeferred<void>()

  add(file: string): void {
    this.#files.add(file)
    this.#some.resolve()
  }

  /** Waits for a change, and until an editor has written all of it. */
  async take(): Promise<ReadonlySet<string>> {
    await this.#some.promise
    await sleep(SETTLE_MS)
    const files = this.#files
    this.#files = new Set()
    this.#some = createDeferred<void>()
    return files
  }
}

/** Checks rules whose files changed, and tests them if they have no error. What concerns all rules is checked for all. */
async function checkChanged(files: ReadonlySet<string>, loaded: LoadedRules, io: CommandIo): Promise<void> {
  const changed = [...files].filter((file) => file.endsWith('.yaml'))
  const rules = [...new Set(changed.map((file) => file.replace(/\.test\.yaml$/, '.yaml')))]
  if (rules.length === 0) return
  const concernsAll = rules.some((file) => !existsSync(file) || file.endsWith('categories.yaml'))
  io.stderr.write(`\n${changed.map((file) => relative('.', file)).join(', ')}\n`)
  try {
    const code = await lint({ args: concernsAll ? [] : rules, values: {} }, io)(loaded)
    if (code !== EXIT.ok || concernsAll) return
    await testRules({ ...loaded, timeoutMs: TEST_TIMEOUT_MS, strict: false }, rules, io)
  } catch (error) {
    io.stderr.write(`${formatError(error)}\n`)
  }
}
