import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { UsageError } from '../command/command.ts'

/** Maximum number of bytes that git may print: all rule files together are about 2 MB long. */
const MAX_OUTPUT_BYTES = 256 * 1024 * 1024
/** Branches that a pull request is compared with, in this order. */
const MAIN_BRANCHES = ['main', 'origin/main']

/** A commit, and the name under which it was found. */
export interface GitRevision {
  readonly ref: string
  readonly commit: string
}

/** The git repository of a rule folder. */
export class RuleRepository {
  readonly #folder: string

  /** @param folder the folder that contains the rule folder */
  constructor(folder: string) {
    this.#folder = folder
  }

  /**
   * Finds a commit by name. Without a name: the merge base with `main`, or with `origin/main` if there is none, else HEAD.
   * @throws UsageError when there is no such commit, no repository, or no git
   */
  findRevision(ref: string | undefined): GitRevision {
    if (ref !== undefined) {
      const commit = this.#resolve(ref)
      if (commit === null) throw new UsageError(`there is no git ref "${ref}"; use a branch, a tag or a commit`)
      return { ref, commit }
    }
    const head = this.#resolve('HEAD')
    if (head === null) throw new UsageError('the project has no commit yet: there is nothing to compare the rules with')
    const main = MAIN_BRANCHES.find((branch) => this.#resolve(branch) !== null)
    const base = main === undefined ? null : this.#run(['merge-base', 'HEAD', main])
    if (main === undefined || base === null) return { ref: 'HEAD', commit: head }
    const commit = base.toString().trim()
    return { ref: commit === head ? 'HEAD' : `merge base with ${main}`, commit }
  }

  /**
   * Writes the rule folder of a commit to a temporary folder.
   * @param name the rule folder, relative to the folder of the repository object
   * @returns the folder, and a function that deletes it
   * @throws UsageError when the commit does not have the folder
   */
  checkOut({ ref, commit }: GitRevision, name: string): { readonly folder: string; readonly remove: () => void } {
    const files = this.#listFiles(commit, name)
    if (files.length === 0) throw new UsageError(`"${ref}" has no folder ${name}: there is nothing to compare with`)
    const root = mkdtempSync(join(tmpdir(), 'siteprint-rules-'))
    const texts = this.#readBlobs(files.map(({ blob }) => blob))
    for (const [i, { path }] of files.entries()) {
      mkdirSync(dirname(join(root, path)), { recursive: true })
      writeFileSync(join(root, path), texts[i])
    }
    return { folder: join(root, name), remove: () => rmSync(root, { recursive: true, force: true }) }
  }

  #resolve(ref: string): string | null {
    const found = this.#run(['rev-parse', '--verify', '--quiet', '--end-of-options', `${ref}^{commit}`])
    return found === null ? null : found.toString().trim()
  }

  /** Lists the regular files below a folder of a commit. Links are not followed, as when rules are loaded. */
  #listFiles(commit: string, name: string): { readonly blob: string; readonly path: string }[] {
    const listed = this.#run(['ls-tree', '-r', '-z', commit, '--', `${name}/`])?.toString() ?? ''
    return listed.split('\0').flatMap((line) => {
      const [, blob, path] = /^100\d{3} blob (\w+)\t(.+)$/s.exec(line) ?? []
      return blob === undefined ? [] : [{ blob, path }]
    })
  }

  /** Reads blobs in the format of `git cat-file --batch`: a line `<id> blob <bytes>`, the content, a line end. */
  #readBlobs(blobs: readonly string[]): Buffer[] {
    const output = this.#run(['cat-file', '--batch'], `${blobs.join('\n')}\n`) ?? Buffer.alloc(0)
    let at = 0
    return blobs.map((blob) => {
      const end = output.indexOf(10, at)
      const [, bytes] = / blob (\d+)$/.exec(output.toString('latin1', at, Math.max(at, end))) ?? []
      if (bytes === undefined) throw new Error(`git cannot read the object ${blob}`)
      at = end + 1 + Number(bytes) + 1
      return output.subarray(end + 1, at - 1)
    })
  }

  /** Runs git. @returns null if it fails */
  #run(args: readonly string[], input?: string): Buffer | null {
    const { error, status, stdout, stderr } = spawnSync('git', ['-C', this.#folder, ...args], {
      maxBuffer: MAX_OUTPUT_BYTES,
      ...(input !== undefined && { input }),
    })
    if (error !== undefined)
      throw (error as NodeJS.ErrnoException).code === 'ENOENT'
        ? new UsageError('git was not found: install it to compare the rules with those of a commit')
        : error
    if (/not a git repository|dubious ownership/.test(String(stderr)))
      throw new UsageError(`the rules are not in a git repository that can be read: ${String(stderr).split('\n')[0]}`)
    return status === 0 ? stdout : null
  }
}
