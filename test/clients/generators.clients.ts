import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { projectFolder } from '../../src/rules/built.ts'
import { findGenerators } from '../../tools/generators-folder.ts'
import { onePlan, openApp, type TestApp } from '../http/app-fixture.ts'
import { serveLaterVersion } from './later-version.ts'

const run = promisify(execFile)
const generators = findGenerators('tests of generated clients')
const samples = join(projectFolder(), 'test/clients/samples')
const compiler = join(projectFolder(), 'node_modules/typescript/bin/tsc')

/** Results of a client with the service and with a later version of it. */
function expectFound(revision: 1 | 2, keepsUnknown: boolean): object[] {
  const found = (isLater: boolean): object => ({
    builder: 'Webflow',
    category: isLater ? 'later-value' : revision === 1 ? 'visual-builder' : 'website-builder',
    cached: [false, true],
    kind: isLater ? 'later-value' : 'builder',
    version: '1.2',
    limit: 1000,
    created: expect.stringMatching(/^\d{4}-05-10T12:00:15\+00:00$/),
    code: isLater ? 'later-value' : 'invalid_url',
    later: isLater && keepsUnknown,
    ...(revision === 2 && { title: 'Harbour Line', days: 31, slug: 'webflow', retryable: false }),
  })
  return [found(false), found(true)]
}

describe.skipIf(generators === null).each([[1], [2]] as const)('clients generated from revision %d', (revision) => {
  const work = mkdtempSync(join(tmpdir(), 'siteprint-clients-'))
  afterAll(() => rmSync(work, { recursive: true }))
  const bin = join(`${generators}`, 'venv/bin')
  // openapi-python-client starts ruff by its name.
  const env = {
    PATH: `${bin}:${process.env.PATH}`,
    PYTHONDONTWRITEBYTECODE: '1',
    MYPY_CACHE_DIR: join(`${generators}`, 'mypy'),
  }
  const document = join(work, `openapi-${revision}.json`)
  let args: string[]
  beforeAll(async () => {
    const app: TestApp = await openApp({ settings: onePlan(1000, 1000) })
    const { secret } = await app.newKey({ plan: 'free', revision })
    const baseUrl = await app.fastify.listen({ port: 0, host: '127.0.0.1' })
    const { text } = await app.call({ url: revision === 2 ? '/openapi.json' : '/openapi-1.json' })
    writeFileSync(document, text)
    symlinkSync(join(`${generators}`, 'node_modules'), join(work, 'node_modules'))
    cpSync(samples, work, { recursive: true })
    args = [secret, baseUrl, await serveLaterVersion(baseUrl)]
  })

  const python = (...words: string[]) => run(join(bin, 'python'), words, { cwd: work, env })

  test('openapi-python-client', async () => {
    const config = join(work, 'config.yaml')
    // The generator knows no lists of lines: it sends them as they are.
    const lists = ['text/plain', 'application/x-ndjson', 'text/csv'].map(
      (type) => `  ${type}: application/octet-stream\n`,
    )
    writeFileSync(config, `post_hooks: []\ncontent_type_overrides:\n${lists.join('')}`)
    const options = [
      '--meta',
      'none',
      '--output-path',
      join(work, 'generated'),
      '--config',
      config,
      '--fail-on-warning',
    ]
    await python('-m', 'openapi_python_client', 'generate', '--path', document, ...options)
    await python('-m', 'compileall', '-q', 'generated')
    const { stdout } = await python('use_openapi_python_client.py', `${revision}`, ...args)
    expect(JSON.parse(stdout)).toEqual(expectFound(revision, true))
  })

  test('datamodel-code-generator', async () => {
    const options = ['--output-model-type', 'pydantic_v2.BaseModel', '--formatters', 'builtin']
    await python('-m', 'datamodel_code_generator', '--input', document, '--output', join(work, 'models.py'), ...options)
    const { stdout } = await python('use_datamodel_code_generator.py', `${revision}`, ...args)
    expect(JSON.parse(stdout)).toEqual(expectFound(revision, false))
  })

  test('openapi-typescript', async () => {
    const node = (file: string, ...words: string[]) => run(process.execPath, [file, ...words], { cwd: work })
    await node(join('node_modules/openapi-typescript/bin/cli.js'), document, '-o', `openapi-${revision}.ts`)
    writeFileSync(join(work, 'package.json'), '{ "type": "module" }')
    const options = ['--strict', '--module', 'nodenext', '--target', 'es2022', '--rewriteRelativeImportExtensions']
    await node(compiler, `revision-${revision}.ts`, ...options, '--types', '', '--lib', 'es2023,dom', '--outDir', 'out')
    mkdirSync(join(work, 'out'), { recursive: true })
    const { stdout } = await node(`out/revision-${revision}.js`, ...args)
    expect(JSON.parse(stdout)).toEqual(expectFound(revision, true))
  })
})
