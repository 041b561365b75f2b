import { execFile } from 'node:child_process'
import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { projectFolder } from '../../src/rules/built.ts'
import { writeFolder } from '../support/rule-folder.ts'
import { openSampleService } from './sample-service.ts'

const run = promisify(execFile)

test('the README holds as written: its command compiles the client, and its example is strict and runs', async () => {
  const { secret, baseUrl } = await openSampleService()
  const client = join(projectFolder(), 'clients/typescript')
  const readme = readFileSync(join(client, 'README.md'), 'utf8')
  const [, command = ''] = /```sh\n(.*?)```/s.exec(readme) ?? []
  const [, code = ''] = /```ts\n(.*?)```/s.exec(readme) ?? []
  const folder = writeFolder({})
  for (const part of ['src', 'tsconfig.json']) cpSync(join(client, part), join(folder, part), { recursive: true })
  const tsc = `${process.execPath} ${join(projectFolder(), 'node_modules/typescript/bin/tsc')}`
  const local = command.replace('npx -p typescript tsc', tsc)
  expect(local).not.toBe(command)
  await run('sh', ['-ec', local], { cwd: folder })

  const example = code.replace('http://127.0.0.1:3000', baseUrl)
  expect(example).not.toBe(code)
  for (const name of ['example.mjs', 'example.mts']) writeFileSync(join(folder, name), example)
  const types = `--types node --typeRoots ${join(projectFolder(), 'node_modules/@types')}`
  const strict = `${tsc} example.mts --ignoreConfig --noEmit --strict --target es2022 --module nodenext --skipLibCheck ${types}`
  const [checked, { stdout }] = await Promise.all([
    run('sh', ['-ec', strict], { cwd: folder }).catch((error: { stdout: string }) => error),
    run(process.execPath, ['example.mjs'], { cwd: folder, env: { KEY: secret } }),
  ])
  expect(checked.stdout).toBe('')
  const [first, error, ...others] = stdout.trimEnd().split('\n')
  expect(first).toBe('Webflow high Harbour Line')
  expect(error).toMatch(/^blocked_target false [\da-f-]{36}$/)
  expect(others.slice(0, 2).sort()).toEqual(['https://a.example.org Webflow', 'https://b.example.org no builder'])
  expect(others.slice(2)).toEqual(['997 scans left'])
})
