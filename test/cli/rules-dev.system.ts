import { spawn } from 'node:child_process'
import { renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'vitest'
import { smallProject } from '../support/built-project.ts'
import { onFileEnd } from '../support/on-file-end.ts'
import { builder, TEST, writeFolder } from '../support/rule-folder.ts'
import { until } from '../support/until.ts'

test('rules dev checks and tests what changes after each save', async () => {
  const root = writeFolder({ 'builders/acme.yaml': builder(), 'builders/acme.test.yaml': TEST })
  const rule = join(root, 'builders', 'acme.yaml')
  const { folder } = smallProject()
  const child = spawn(process.execPath, [join(folder, 'dist', 'src', 'cli', 'run.js'), 'rules', 'dev', root], {
    cwd: root,
    env: { PATH: '', CACHE_DIR: join(root, '.cache') },
  })
  onFileEnd(() => child.kill())
  let said = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      said += text
    })
  const says = async (text: RegExp, act: () => void = () => {}): Promise<void> => {
    const before = said.length
    act()
    await until(() => (text.test(said.slice(before)) ? '' : said.slice(before)), '')
  }
  await until(() => /; Ctrl-C stops/.test(said), true)
  await says(/^1 rule, 2 pages.*: no problems found$/m, () =>
    writeFileSync(rule, builder('header: x-acme').replace('  - header: x-acme\n', '')),
  )
  await says(/acme\.yaml:6:5 {2}error .*unknown-key\n1 rule: 1 finding$/m, () =>
    writeFileSync(rule, builder().replace('url:', 'urll:')),
  )
  await says(/unproven-clause/, () => {
    // As editors do that write another file first.
    writeFileSync(`${rule}~`, builder('header: x-acme'))
    renameSync(`${rule}~`, rule)
  })
  await says(/stray-file/, () => rmSync(rule))
})
