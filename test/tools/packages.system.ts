import { execFile, spawnSync } from 'node:child_process'
import { copyFileSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { builtinModules } from 'node:module'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { parseSync } from 'oxc-parser'
import type { Browser } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { buildPage, type PageInput } from '../../src/engine/page/page.ts'
import { detect } from '../../src/engine/verdict/detect.ts'
import { EXTRAS, toResult } from '../../src/engine/verdict/result.ts'
import { ownFolder, projectFolder } from '../../src/rules/built.ts'
import { discoverRules } from '../../src/rules/discover.ts'
import { readFixtures } from '../../src/rules/fixtures.ts'
import { startLocalSites } from '../cli/local-sites.ts'
import { isBrowserMissing, startBrowser } from '../support/browser.ts'
import { findNode } from '../support/node-versions.ts'
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

/** Lists the packages that a module imports, as a statement or while it runs. */
function listImports(file: string): string[] {
  if (!file.endsWith('.js')) return []
  const code = readFileSync(file, 'utf8')
  const { staticImports, staticExports, dynamicImports } = parseSync(file, code).module
  const names = [
    ...staticImports.map(({ moduleRequest }) => moduleRequest.value),
    ...staticExports.flatMap(({ entries }) => entries.flatMap(({ moduleRequest }) => moduleRequest?.value ?? [])),
    ...dynamicImports.flatMap(({ moduleRequest: { start, end } }) => {
      const [, name] = /^["'`](.*)["'`]$/.exec(code.slice(start, end)) ?? []
      return name ?? []
    }),
  ]
  return names
    .filter((name) => !/^(?:[./]|node:)/.test(name) && !builtinModules.includes(name))
    .map((name) => name.split('/', name.startsWith('@') ? 2 : 1).join('/'))
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

  test('what ships imports all of its dependencies, and nothing else', () => {
    const { dependencies, peerDependencies } = JSON.parse(readFileSync(inModules('siteprint', 'package.json'), 'utf8'))
    const imported = new Set(listFiles(inModules('siteprint', 'dist', 'bundle')).flatMap(listImports))
    // A package that better-auth tries to load, and does without.
    imported.delete('@opentelemetry/api')
    expect([...imported].sort()).toEqual(Object.keys({ ...dependencies, ...peerDependencies }).sort())
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

/** The command in the packed file, which the tests of other versions of Node run by themselves. */
const command = (): string => inModules('.bin', 'siteprint')

describe('siteprint, installed', () => {
  test('the first line of the README scans a site', async () => {
    const sites = await startLocalSites()
    const [, line] = /<!-- example:npx -->\n```sh\n(.*)\n```/.exec(readFileSync(join(root, 'README.md'), 'utf8')) ?? []
    expect(line).toBe('npx siteprint https://example.org')
    const [, ...args] = `${line}`.replace('https://example.org', `http://${sites.address(1)}/`).split(' ')
    const allow = { SCAN_ALLOW: '127.0.0.0/8', SCAN_PORTS: sites.address(1).split(':')[1], CACHE_DIR: sites.cwd }
    const env = { ...process.env, ...allow, npm_config_offline: 'true' }
    const { stdout } = await promisify(execFile)('npx', args, { cwd: folder, env })
    expect(JSON.parse(stdout)).toMatchObject({ builder: 'WordPress', confidence: 'high' })
  })

  test.each([20, 22, 24])('scans a saved page with Node %i, as a user who cannot write anything here', (major) => {
    const node = findNode(major)
    if (node === null) return
    // Other users cannot read the home folder of root, where Node is kept.
    const copy = join(makeFolder('bin'), 'node')
    copyFileSync(node, copy)
    const user = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {}
    const env = { HOME: '/nonexistent', PATH: '' }
    copyFileSync(join(root, 'examples', 'page.html'), join(folder, 'page.html'))
    const page = ['--html', 'page.html', '--url', 'https://harbourline.example/']
    expect(runProgram(copy, ['--version'], folder, { env, ...user })).toMatch(new RegExp(`^v${major}\\.`))
    const { version } = packages.get('siteprint') as Packed
    expect(runProgram(copy, [command(), '--version'], folder, { env, ...user })).toMatch(
      new RegExp(`^siteprint ${version}, ruleset [0-9a-f]{16} of \\d{4}-\\d\\d-\\d\\d\\n$`),
    )
    const result = JSON.parse(runProgram(copy, [command(), ...page], folder, { env, ...user }))
    expect(result).toMatchObject({ builder: 'v0', confidence: 'high' })
  })

  test('npm finds no problems, and the install takes at most 200 MB', () => {
    const { problems, dependencies } = JSON.parse(runProgram('npm', ['ls', '--omit=dev', '--all', '--json'], folder))
    expect(problems).toBeUndefined()
    expect(dependencies['siteprint-engine']).not.toHaveProperty('dependencies')
    const bytes = listFiles(inModules()).reduce((sum, file) => sum + statSync(file).size, 0)
    expect(bytes).toBeLessThanOrEqual(200 * MEGABYTE)
  })
})

describe('rules in another repository', () => {
  let cache: string
  beforeAll(() => {
    cache = makeFolder('cache')
    runProgram(command(), ['rules', 'init', '.', '--action', 'acme/siteprint@v9'], folder)
  })

  const rulesFolder = (): string => join(folder, 'rules', 'builders')

  /** Runs the script of the action, which uses what is installed in the folder. */
  function runAction(): { readonly status: number | null; readonly stdout: string; readonly outputs: string } {
    const outputs = join(cache, 'outputs.txt')
    writeFileSync(outputs, '')
    const { PATH } = process.env
    const { status, stdout } = spawnSync(join(root, '.github', 'actions', 'rules', 'check.sh'), {
      cwd: folder,
      encoding: 'utf8',
      env: { PATH, RUNNER_TEMP: cache, GITHUB_OUTPUT: outputs, FOLDER: 'rules' },
    })
    return { status, stdout, outputs: readFileSync(outputs, 'utf8') }
  }

  test('the example of init passes its tests', () => {
    const hook = parse(readFileSync(join(root, '.pre-commit-hooks.yaml'), 'utf8'))[1]
    const [, ...args] = hook.entry.split(' ')
    const files = readdirSync(rulesFolder()).map((name) => `rules/builders/${name}`)
    expect(files.filter((file) => new RegExp(hook.files).test(file))).toHaveLength(2)
    runProgram(command(), [...args, ...files], folder, { env: { ...process.env, CACHE_DIR: cache } })
  })

  test('the action marks three mistakes at their lines', () => {
    const rule = join(rulesFolder(), 'pagekiln.yaml')
    const text = readFileSync(rule, 'utf8')
    const faulty = text
      .replace('script: /kiln', 'scirpt: /kiln')
      .replace('category: website-builder', 'category: website-bilder')
      .replace('aiNative: false', 'aiNative: false\nimplies: wordpres')
    writeFileSync(rule, faulty)
    const { status, stdout, outputs } = runAction()
    writeFileSync(rule, text)
    expect({ status, marks: stdout.match(/^::\w+ file=[^:]*/gm) }).toEqual({
      status: 1,
      marks: [
        ['4', '11', 'bad-category'],
        ['6', '10', 'unknown-slug'],
        ['9', '5', 'unknown-key'],
      ].map(([line, col, code]) => `::error file=rules/builders/pagekiln.yaml,line=${line},col=${col},title=${code}`),
    })
    const [, file = ''] = /^lint-sarif=(.*)\n$/.exec(outputs) ?? []
    const [{ results }] = JSON.parse(readFileSync(file, 'utf8')).runs
    expect(results.map(({ ruleId }: { ruleId: string }) => ruleId)).toEqual([
      'bad-category',
      'unknown-slug',
      'unknown-key',
    ])
  })
})

describe('siteprint-engine, installed', () => {
  test('is a single package, and uses no API of Node', () => {
    const { dependencies = {} } = JSON.parse(readFileSync(inModules('siteprint-engine', 'package.json'), 'utf8'))
    expect(dependencies).toEqual({})
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
  let pages: readonly PageInput[]
  let expected: readonly string[]
  let address: string
  let browser: Browser
  beforeAll(async () => {
    pages = readPages()
    const ruleset = openOwnRuleset()
    expected = pages.map((page) => JSON.stringify(toResult(detect(ruleset, buildPage(page)), EXTRAS)))
    address = await serveFolder(inModules('siteprint-engine'))
    browser = await startBrowser()
  })

  test.each(['page', 'worker'])('gives the verdicts of Node in a %s', async (place) => {
    // Another thread runs the same code, so a part of the pages is enough there.
    const isChosen = (_: unknown, i: number): boolean => place === 'page' || i % 20 === 0
    const input = JSON.stringify(pages.filter(isChosen))
    const page = await browser.newPage()
    await page.goto(address)
    const code = `
      const { buildPage, detect, loadRuleset, toResult } = await import('${address}/index.js')
      const ruleset = await loadRuleset()
      const run = (pages) => pages.map((page) => JSON.stringify(toResult(detect(ruleset, buildPage(page)), ${JSON.stringify(EXTRAS)})))`
    const inPlace = {
      page: `(async () => { ${code}\nreturn run(${input}) })()`,
      worker: `(() => {
        const code = ${JSON.stringify(`${code}\nonmessage = ({ data }) => postMessage(run(data))\npostMessage('ready')`)}
        const worker = new Worker(URL.createObjectURL(new Blob([code], { type: 'text/javascript' })), { type: 'module' })
        return new Promise((resolve, reject) => {
          worker.onerror = (event) => reject(new Error(event.message))
          worker.onmessage = ({ data }) => data === 'ready' ? worker.postMessage(${input}) : resolve(data)
        })
      })()`,
    }[place] as string
    // Browsers of today encode ^ in paths, as the URL Standard says since 2023; Node 20 does not.
    const encode = (verdict: string): string => verdict.replaceAll('%5E', '^')
    const found = (await page.evaluate<string[]>(inPlace)).map(encode)
    const wanted = expected.filter(isChosen).map(encode)
    expect(found).toHaveLength(wanted.length)
    // Verdicts that are equal as texts need not be compared as objects, which takes as long as all detection.
    const differing = found.flatMap((verdict, i) => (verdict === wanted[i] ? [] : [i]))
    expect(differing.map((i) => JSON.parse(found[i]))).toEqual(differing.map((i) => JSON.parse(wanted[i])))
    await page.close()
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
