import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { projectFolder } from '../../src/rules/built.ts'
import { findGenerators } from '../../tools/generators-folder.ts'
import { formatPythonTypes, PYTHON_TYPES } from '../../tools/python-types.ts'
import { onePlan, openApp } from '../http/app-fixture.ts'

const root = projectFolder()
const run = promisify(execFile)
const generators = findGenerators('tests of the client in Python')
const bin = join(`${generators}`, 'venv/bin')
const client = join(root, 'clients/python')
const tests = join(root, 'test/clients')
const env = { PATH: `${process.env.PATH}`, PYTHONDONTWRITEBYTECODE: '1', PYTHONPATH: client, MYPYPATH: client }

/** Runs a program of the virtual environment. @throws Error with its output if it fails */
async function runPython(program: string, args: readonly string[], more: NodeJS.ProcessEnv = {}): Promise<void> {
  await run(join(bin, program), args, { cwd: client, env: { ...env, ...more } }).catch(({ stdout, stderr }) => {
    throw new Error(`${program} ${args.join(' ')}\n${stdout}${stderr}`)
  })
}

describe.skipIf(generators === null)('the client in Python', () => {
  test('its types are those of the document', async () => {
    const document = readFileSync(join(root, 'clients/openapi.json'), 'utf8')
    const wanted = await formatPythonTypes(document, `${generators}`)
    expect(readFileSync(join(root, PYTHON_TYPES), 'utf8')).toBe(wanted)
  })

  test.each([
    [
      'python',
      '-m',
      'mypy',
      '--cache-dir',
      join(`${generators}`, 'mypy'),
      'siteprint',
      join(tests, 'test_python_client.py'),
    ],
    ['ruff', 'check', '--no-cache', '.', '--config', 'pyproject.toml', tests],
    ['ruff', 'format', '--no-cache', '--check', '.', '--config', 'pyproject.toml', tests],
  ])('%s %s %s', (program, ...args) => runPython(program, args))

  test('its own tests, and the example of the README with the running service', async () => {
    const app = await openApp({ settings: onePlan(1000, 1000) })
    const { secret } = await app.newKey({ plan: 'free' })
    const baseUrl = await app.fastify.listen({ port: 0, host: '127.0.0.1' })
    await runPython('python', [join(tests, 'test_python_client.py')], { SITEPRINT_URL: baseUrl, KEY: secret })
  })
})
