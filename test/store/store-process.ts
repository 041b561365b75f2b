import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { projectFolder } from '../../src/rules/built.ts'
import { NODE_ARGS } from '../support/node-args.ts'
import { newFolder } from './open-stores.ts'

/** A process that opens a store. */
export interface StoreProcess {
  readonly child: ChildProcess
  /** Lines written so far. */
  readonly lines: readonly string[]
  /** Waits until the process has written this number of lines. */
  wrote(lines: number): Promise<void>
  /** Waits until the process ends. @throws if it failed */
  ended(): Promise<void>
  kill(): Promise<void>
}

/** Compiles the current store, because these processes do not run TypeScript. @returns a folder for `startStore` */
export function buildStore(): string {
  const root = projectFolder()
  const folder = newFolder()
  const compiler = join(root, 'node_modules', 'typescript', 'bin', 'tsc')
  const options = ['--ignoreConfig', '--noCheck', '--rewriteRelativeImportExtensions', '--rootDir', 'src']
  const files = ['src/store/sqlite/sqlite.ts', '--outDir', folder, '--module', 'nodenext', '--target', 'es2022']
  const { status, stdout } = spawnSync(process.execPath, [compiler, ...options, ...files], {
    cwd: root,
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(`the store could not be built:\n${stdout}`)
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'), 'junction')
  return folder
}

/** Starts a process that opens the store in the folder `data` as `store` and then runs `code` like `startCode`. */
export function startStore(built: string, options: { data: string; role: string; code: string }): StoreProcess {
  const { data, role, code } = options
  return startCode(
    built,
    `import { openSqlite } from './store/sqlite/sqlite.js'
    const store = await openSqlite(${JSON.stringify({ folder: data, role })})
    ${code}`,
  )
}

/** Starts a process that runs `code` as a module, in which `say(…)` writes a line. */
export function startCode(built: string, code: string): StoreProcess {
  const program = `import { writeSync } from 'node:fs'
    const say = (line) => writeSync(1, line + '\\n')
    ${code}`
  const args = [...NODE_ARGS, '--input-type=module', '-e', program]
  const child = spawn(process.execPath, args, { cwd: built, stdio: ['ignore', 'pipe', 'pipe'] })
  const texts = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const)
    child[name].setEncoding('utf8').on('data', (text: string) => {
      texts[name] += text
    })
  const closed = once(child, 'close')
  const lines = (): string[] => texts.stdout.split('\n').slice(0, -1)
  return {
    child,
    get lines() {
      return lines()
    },
    async wrote(count) {
      while (lines().length < count) {
        if (child.exitCode !== null) throw new Error(texts.stderr)
        await Promise.race([once(child.stdout, 'data'), closed])
      }
    },
    async ended() {
      const [exit] = await closed
      if (exit !== 0) throw new Error(texts.stderr)
    },
    async kill() {
      child.kill('SIGKILL')
      await closed
    },
  }
}
