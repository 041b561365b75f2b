import { spawnSync } from 'node:child_process'
import { copyFileSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { buildPage, type PageInput } from '../../src/engine/page/page.ts'
import { detect } from '../../src/engine/verdict/detect.ts'
import { EXTRAS, toResult } from '../../src/engine/verdict/result.ts'
import { ownFolder, projectFolder } from '../../src/rules/built.ts'
import { discoverRules } from '../../src/rules/discover.ts'
import { readFixtures } from '../../src/rules/fixtures.ts'
import { isBrowserMissing, startBrowser } from '../support/browser.ts'
import { onFileEnd } from '../support/on-file-end.ts'
import { openOwnRuleset } from '../support/own-ruleset.ts'
import { installPacked, makeFolder, type Packed, packPackages, runProgram } from '../support/packed.ts'

const root = projectFolder()
const MEGABYTE = 1_000_000

let packages: ReadonlyMap<string, Packed>
let folder: string

beforeAll(() => {
  const packed = packPackages(['.', 'dist/engine', 'clients/typescript'], makeFolder('packed files'))
  packages = new Map(packed.map((one) => [one.name, one]))
  folder = installPacked(packed)
})

const inModules = (...path: string[]): string => join(folder, 'node_modules', ...path)

/** Files below a folder, as paths from it. */
function listFiles(path: string): string[] {
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
}

describe('what the packages contain', () => {
  test.each([
    ['siteprint', 4 * MEGABYTE, 120],
    ['siteprint-engine', 2 * MEGABYTE, 10],
    ['siteprint-client', 0.1 * MEGABYTE, 20],
  ])('%s: at most %i bytes and %i files, no sources and no tests', (name, size, files) => {
    const packed = packages.get(name)
    expect(packed?.size).toBeLessThanOrEqual(size)
    expect(packed?.entryCount).toBeLessThanOrEqual(files)
    const paths = packed?.files.map(({ path }) => path) ?? []
    expect(paths.filter((path) => /(?<!\.d)\.tsx?$|\.test\.|\.map$/.test(path))).toEqual([])
    // The plans are settings, and the file is what operators copy.
    expect(paths.filter((path) => /\.ya?ml$/.test(path) && path !== 'dist/src/keys/plans.yaml')).toEqual([])
  })

  test('all have one version', () => {
    const python = readFileSync(join(root, 'clients', 'python', 'pyproject.toml'), 'utf8')
    const versions = [...packages.values()].map(({ version }) => version)
    expect(new Set([...versions, /^version = "(.*)"$/m.exec(python)?.[1]])).toEqual(new Set([versions[0]]))
  })

  test('every production dependency is used by what ships', () => {
    const { dependencies } = JSON.parse(readFileSync(inModules('siteprint', 'package.json'), 'utf8'))
    const code = listFiles(inModules('siteprint', 'dist', 'bundle')).map((file) => readFileSync(file, 'utf8'))
    const isUsed = (name: string): boolean =>
      code.some((text) => new RegExp(`(?:\\bfrom |\\bimport |\\()["']${name}(?:/[^"']*)?["']`).test(text))
    expect(Object.keys(dependencies).filter((name) => !isUsed(name))).toEqual([])
  })
})

describe('the checks of packages find nothing', () => {
  test.each(['siteprint', 'siteprint-engine', 'siteprint-client'])('%s', (name) => {
    const bin = (command: string): string => join(root, 'node_modules', '.bin', command)
    expect(runProgram(bin('publint'), [inModules(name), '--strict', '--pack', 'false'], root)).toContain('All good!')
    // The packages are ES modules: `require` loads them in Node 20.19 or later, which the profile does not know.
    runProgram(bin('attw'), [packages.get(name)?.file ?? '', '--profile', 'esm-only', '--quiet'], root)
  })

  test.each([
    ['node16', 'node16'],
    ['es2022', 'bundler'],
  ])('types with module %s and moduleResolution %s', (module, resolution) => {
    copyFileSync(join(root, 'test', 'tools', 'uses-packages.txt'), join(folder, 'uses.ts'))
    const strict = [
      '--noEmit',
      '--strict',
      '--target',
      'es2022',
      '--lib',
      'es2024,dom,dom.asynciterable',
      '--types',
      '',
    ]
    const how = ['--ignoreConfig', '--module', module, '--moduleResolution', resolution]
    runProgram(join(root, 'node_modules', '.bin', 'tsc'), [...strict, ...how, 'uses.ts'], folder)
  })
})

describe('siteprint, installed', () => {
  const scan = (...args: string[]): string => runProgram('npx', ['--no-install', 'siteprint', ...args], folder)

  test('scans a saved page, and prints its versions', () => {
    copyFileSync(join(root, 'examples', 'page.html'), join(folder, 'page.html'))
    const result = JSON.parse(scan('--html', 'page.html', '--url', 'https://harbourline.example/'))
    expect(result).toMatchObject({ builder: 'v0', confidence: 'high' })
    const { version } = packages.get('siteprint') as Packed
    expect(scan('--version')).toMatch(
      new RegExp(`^siteprint ${version}, ruleset [0-9a-f]{16} of \\d{4}-\\d\\d-\\d\\d\\n$`),
    )
  })

  test('npm finds no problems, and the install takes at most 200 MB', () => {
    expect(JSON.parse(runProgram('npm', ['ls', '--omit=dev', '--all', '--json'], folder)).problems).toBeUndefined()
    const bytes = listFiles(inModules()).reduce((sum, file) => sum + statSync(file).size, 0)
    expect(bytes).toBeLessThanOrEqual(200 * MEGABYTE)
  })
})

describe('siteprint-engine, installed', () => {
  test('is at most eight packages, and uses no API of Node', () => {
    const listed = runProgram('npm', ['ls', 'siteprint-engine', '--all', '--parseable'], folder).trim().split('\n')
    const { dependencies = {} } = JSON.parse(readFileSync(inModules('siteprint-engine', 'package.json'), 'utf8'))
    expect([listed.length, dependencies]).toEqual([1, {}])
    const code = readFileSync(inModules('siteprint-engine', 'index.js'), 'utf8')
    expect(code.match(/\brequire\(|["']node:|\bprocess\.|\bimport\((?!"\.\/compiled-ruleset\.js"\))/g)).toBeNull()
  })

  test('detects a page in a script of five lines', () => {
    const [, script] = /```js\n(.*?)```/s.exec(readFileSync(inModules('siteprint-engine', 'README.md'), 'utf8')) ?? []
    const page = `html: '<meta name="generator" content="WordPress 6.4">'`
    writeFileSync(join(folder, 'five-lines.js'), `${script}`.replace("html: '<!doctype html>…'", page))
    expect(runProgram(process.execPath, ['five-lines.js'], folder)).toContain("builder: 'WordPress'")
  })

  test('reads a compiled ruleset of its caller, and refuses other bytes', () => {
    const script = `
      import { readFileSync } from 'node:fs'
      import { loadRuleset } from 'siteprint-engine'
      const { version } = await loadRuleset({ compiled: readFileSync('node_modules/siteprint/dist/ruleset.bin') })
      console.log(version === (await loadRuleset()).version)
      await loadRuleset({ compiled: new Uint8Array(100) }).catch((error) => console.log(error.message))`
    const output = runProgram(process.execPath, ['--input-type=module', '--eval', script], folder)
    expect(output).toMatch(/^true\n.*not a compiled ruleset/)
  })
})

/** Serves a folder, and an empty page. @returns the address */
async function serveFolder(path: string): Promise<string> {
  const server = createServer((request, response) => {
    const isScript = request.url?.endsWith('.js') === true
    response.setHeader('Content-Type', isScript ? 'text/javascript' : 'text/html')
    response.end(isScript ? readFileSync(join(path, new URL(request.url ?? '', 'http://x/').pathname)) : '')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onFileEnd(() => void server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** Pages: the fixtures of 300 rules, spread over all, and the example page. */
function readPages(): PageInput[] {
  const rules = discoverRules(ownFolder).rules.filter(({ hasTest }) => hasTest)
  const step = Math.floor(rules.length / 300)
  const chosen = rules.filter((_, i) => i % step === 0).slice(0, 300)
  expect(chosen).toHaveLength(300)
  const example = {
    url: 'https://harbourline.example/',
    html: readFileSync(join(root, 'examples', 'page.html'), 'utf8'),
  }
  return [example, ...chosen.flatMap((rule) => readFixtures(rule).fixtures.map(({ input }) => input))]
}

describe.skipIf(isBrowserMissing('siteprint-engine in Chromium'))('siteprint-engine in Chromium', () => {
  test.each(['page', 'worker'])('gives the verdicts of Node in a %s', async (place) => {
    // Another thread runs the same code, so a part of the pages is enough there.
    const pages = readPages().filter((_, i) => place === 'page' || i % 20 === 0)
    const ruleset = openOwnRuleset()
    const expected = JSON.stringify(pages.map((page) => toResult(detect(ruleset, buildPage(page)), EXTRAS)))
    const address = await serveFolder(inModules('siteprint-engine'))
    const page = await (await startBrowser()).newPage()
    await page.goto(address)
    const code = `
      const { buildPage, detect, loadRuleset, toResult } = await import('${address}/index.js')
      const ruleset = await loadRuleset()
      const run = (pages) => JSON.stringify(pages.map((page) => toResult(detect(ruleset, buildPage(page)), ${JSON.stringify(EXTRAS)})))`
    const inPlace = {
      page: `(async () => { ${code}\nreturn run(${JSON.stringify(pages)}) })()`,
      worker: `(() => {
        const code = ${JSON.stringify(`${code}\nonmessage = ({ data }) => postMessage(run(data))\npostMessage('ready')`)}
        const worker = new Worker(URL.createObjectURL(new Blob([code], { type: 'text/javascript' })), { type: 'module' })
        return new Promise((resolve, reject) => {
          worker.onerror = (event) => reject(new Error(event.message))
          worker.onmessage = ({ data }) => data === 'ready' ? worker.postMessage(${JSON.stringify(pages)}) : resolve(data)
        })
      })()`,
    }[place] as string
    // Browsers of today encode ^ in paths, as the URL Standard says since 2023; Node 20 does not.
    const found = String(await page.evaluate(inPlace)).replaceAll('%5E', '^')
    expect(JSON.parse(found)).toEqual(JSON.parse(expected.replaceAll('%5E', '^')))
  })
})

test('the Python client is a wheel that pip installs', ({ skip }) => {
  const python = spawnSync('python3', ['-c', 'import pip'], { encoding: 'utf8' })
  skip(python.status !== 0, 'Python with pip is missing')
  const target = makeFolder('a wheel')
  const source = join(target, 'source')
  runProgram('cp', ['-r', join(root, 'clients', 'python'), source], target)
  runProgram('python3', ['-m', 'pip', 'wheel', '--no-deps', '-q', '-w', target, source], target)
  const [wheel = ''] = readdirSync(target).filter((name) => name.endsWith('.whl'))
  runProgram(
    'python3',
    ['-m', 'pip', 'install', '--no-deps', '--no-index', '-q', '--target', join(target, 'site'), wheel],
    target,
  )
  const use = ['-c', 'from siteprint import Siteprint; print(Siteprint.__name__)']
  expect(runProgram('python3', use, join(target, 'site'))).toBe('Siteprint\n')
})
