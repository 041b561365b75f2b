import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** Writes a file under another name first, so that a reader never sees a part of it. Creates its folder. @throws the errors of `fs` */
export function writeWhole(file: string, content: string | Uint8Array): void {
  const temporary = `${file}.${process.pid}.${Math.random().toString(36).slice(2)}.tmp`
  makeFolder(dirname(file))
  try {
    writeFileSync(temporary, content, { flag: 'wx' })
    renameSync(temporary, file)
  } catch (error) {
    rmSync(temporary, { force: true })
    throw error
  }
}

/** Creates a folder with its parents. Node 20 itself would try for ever below /proc. */
function makeFolder(folder: string): void {
  if (existsSync(folder)) return
  makeFolder(dirname(folder))
  try {
    mkdirSync(folder)
  } catch (error) {
    if (!existsSync(folder)) throw error // Otherwise another process has created it meanwhile.
  }
}

/** Deletes the files of a folder whose names match, except those that were written last. @throws the errors of `fs` */
export function deleteOldest(folder: string, names: RegExp, kept: number): void {
  const files = readdirSync(folder)
    .filter((name) => names.test(name))
    .map((name) => join(folder, name))
    .map((path) => ({ path, at: statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0 }))
    .sort((a, b) => b.at - a.at)
  for (const { path } of files.slice(kept)) rmSync(path, { force: true })
}
