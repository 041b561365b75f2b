import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, realpathSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

/**
 * Copies the project, because a mutant may write to the wrong place, and the sources may change while mutants run.
 * @returns the folder of the copy
 */
export function copyProject(root: string): string {
  const { status, stdout, stderr } = spawnSync(
    'git',
    ['ls-files', '-z', '-co', '--exclude-standard', '--deduplicate'],
    {
      cwd: root,
      encoding: 'utf8',
      maxBuffer: 2 ** 28,
    },
  )
  if (status !== 0) throw new Error(`the files of the project could not be listed:\n${stderr}`)
  const folder = join(realpathSync(mkdtempSync(join(tmpdir(), 'siteprint-mutation-'))), 'project')
  for (const file of stdout.split('\0').filter(Boolean)) copyFile(root, folder, file)
  // Tests use the compiled project if it is newer than the sources, so the times of all files are copied.
  copyFile(root, folder, 'dist')
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  return folder
}

function copyFile(root: string, folder: string, file: string): void {
  mkdirSync(dirname(join(folder, file)), { recursive: true })
  cpSync(join(root, file), join(folder, file), { recursive: true, preserveTimestamps: true, verbatimSymlinks: true })
}
