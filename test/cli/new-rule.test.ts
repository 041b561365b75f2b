import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type BuiltProject, smallProject } from '../support/built-project.ts'
import { TEST, technology, writeFolder } from '../support/rule-folder.ts'

const PAGE = `<!doctype html>
<html><head>
<title>Fellwater Brewing</title>
<meta name="generator" content="Kilnwork 4.2 (fellwater)">
<script src="https://cdn.kilnwork.io/loader/kiln.js?site=fellwater"></script>
<script>window.KilnworkData = { owner: 'Fellwater' }</script>
</head><body>
<!-- Built with Kilnwork for Fellwater -->
<main data-kilnwork-block="Fellwater" id="kilnwork-root" class="fellwater-hero"><h1>Fellwater</h1></main>
</body></html>
`
const HAR = {
  request: { url: 'https://fellwater.example/' },
  response: { status: 200, content: { text: PAGE, mimeType: 'text/html' } },
}
/** Placeholder → what an author writes. */
const FILLED: readonly (readonly [RegExp, string])[] = [
  [/^website: .*$/m, 'website: https://kilnwork.io'],
  [/^category: .*$/m, 'category: website-builder'],
  [/^aiNative: .*$/m, 'aiNative: false'],
  [/^source: .*$/m, 'source: https://kilnwork.io/docs'],
  [/^verified: .*$/m, 'verified: 2026-11-20'],
  [/FILL IN: a sentence[^<]*/, 'We tried Kilnwork and wrote our own pages.'],
]

let project: BuiltProject
let server: Server
let address: string
beforeAll(async () => {
  project = smallProject()
  server = createServer(({ url }, response) => {
    if (url !== '/') response.writeHead(404).end()
    else
      response
        .setHeader('content-type', 'text/html')
        .setHeader('x-kilnwork-zone', 'fellwater-7')
        .setHeader('set-cookie', 'kilnwork_sid=fellwater; Path=/')
        .end(PAGE)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  address = `127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => {
  server.close()
})

/** Runs `new` in a folder with the pages and a rule folder. */
async function runNew(args: readonly string[], { files = {}, env = {} }: { files?: object; env?: object } = {}) {
  const har = JSON.stringify({ log: { entries: [HAR] } })
  const cwd = writeFolder({
    'page.html': PAGE,
    'page.har': har,
    'plain.html': '<p>Words',
    'rules/README.md': '',
    ...files,
  })
  const outcome = await project.run('rules', ['new', ...args], { cwd, env: { ...env } })
  const read = (name: string): string => readFileSync(join(cwd, 'rules', name), 'utf8')
  return { ...outcome, cwd, read }
}

describe('a page becomes a rule that needs only its placeholders filled in', () => {
  test.each<[from: string, args: string[], live: boolean]>([
    ['HTML', ['--html', 'page.html', '--url', 'https://fellwater.example/'], false],
    ['HAR', ['--har', 'page.har'], false],
    ['a live site', [], true],
  ])('from %s', async (_, args, isLive) => {
    const source = isLive ? [`http://${address}/`] : args
    const env = isLive ? { SCAN_ALLOW: address } : {}
    const { code, stdout, cwd, read } = await runNew(['builder/kilnwork', ...source, '--in', 'rules'], { env })
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: 'rules/builders/kilnwork.yaml\nrules/builders/kilnwork.test.yaml\n',
    })
    const rule = read('builders/kilnwork.yaml')
    expect(rule).toContain("{ meta: generator, match: '^Kilnwork(?: ([\\d.]+))?', version: 1 }")
    expect(rule).toContain('{ script: cdn.kilnwork.io')
    expect(rule).toMatch(/^verified: 'FILL IN: the day on which you read that page, YYYY-MM-DD'$/m)
    if (isLive) expect(rule).toMatch(/- \{ header: x-kilnwork-zone \}\n/)
    expect(rule + read('builders/kilnwork.test.yaml')).not.toMatch(/fellwater/i)

    const lint = () => project.run('rules', ['lint', 'rules'], { cwd })
    const before = await lint()
    const codes = before.stdout
      .trim()
      .split('\n')
      .map((line) => line.split('  ').at(-1))
    expect({ code: before.code, codes }).toEqual({ code: 1, codes: Array.from(FILLED, () => 'placeholder') })
    expect(before.stdout).toContain('write one of ai-builder, website-builder, ')
    for (const name of ['kilnwork.yaml', 'kilnwork.test.yaml']) {
      const text = FILLED.reduce((all, [pattern, value]) => all.replace(pattern, value), read(`builders/${name}`))
      writeFileSync(join(cwd, 'rules', 'builders', name), text)
    }
    expect(await lint()).toMatchObject({ code: 0, stdout: '' })
    const options = { cwd, env: { RULES_DIRS: 'rules' } }
    expect(await project.run('rules', ['test', '--strict', 'kilnwork'], options)).toMatchObject({ code: 0, stdout: '' })
  })
})

test('a rule of hosting has no clauses on markup', async () => {
  const { read } = await runNew(['hosting/kilnwork', `http://${address}/`, '--in', 'rules'], {
    env: { SCAN_ALLOW: address },
  })
  expect(
    read('hosting/kilnwork.yaml')
      .match(/- \{ \w+/g)
      ?.sort(),
  ).toEqual(['- { cookie', '- { header'])
})

test('what another rule looks for is not proposed', async () => {
  const page = '<meta name="generator" content="WordPress 6.6"><div data-press-kit="1"></div>'
  const { code, read } = await runNew(['builder/press-kit', '--html', 'press.html', '--in', 'rules'], {
    files: { 'press.html': page },
  })
  expect(code).toBe(0)
  expect(read('builders/press-kit.yaml')).not.toContain('generator')
})

describe('existing files are never changed', () => {
  test.each(['builders/kilnwork.yaml', 'builders/kilnwork.test.yaml'])('%s', async (name) => {
    const files = { [`rules/${name}`]: 'mine' }
    const { code, stderr, read, cwd } = await runNew(['builder/kilnwork', '--html', 'page.html', '--in', 'rules'], {
      files,
    })
    expect(code).toBe(2)
    expect(stderr).toMatch(/already (?:exists|used)/)
    expect(read(name)).toBe('mine')
    const other = name.includes('.test') ? 'kilnwork.yaml' : 'kilnwork.test.yaml'
    expect(existsSync(join(cwd, 'rules', 'builders', other))).toBe(false)
  })
})

test.each([
  [['builder/kilnwork'], 'new needs a page: a URL, --html FILE or --har FILE'],
  [
    ['kilnwork', '--html', 'page.html'],
    'new needs <kind>/<slug>, such as builder/acme or technology/analytics/acme, not "kilnwork"',
  ],
  [
    ['bilder/kilnwork', '--html', 'page.html'],
    'there is no kind "bilder"; did you mean "builder"? Use one of builder, hosting, response, site-type, technology',
  ],
  [
    ['builder/kiln', '--category', 'site-builder', '--html', 'page.html'],
    'there is no builder category "site-builder"; did you mean "website-builder"? Use one of ai-builder, website-builder, ',
  ],
  [['builder/Kiln', '--html', 'page.html'], '"Kiln" is not a slug'],
  [['builder/wordpress', '--html', 'page.html'], 'the slug wordpress is already used by '],
  [
    ['technology/wordpress', '--html', 'page.html'],
    'new needs the category of a technology: technology/<category>/wordpress',
  ],
  [
    ['technology/analytic/kiln', '--html', 'page.html'],
    'there is no technology category "analytic"; did you mean "analytics"? Use one of ',
  ],
  [
    ['technology/map/kiln', '--category', 'font', '--html', 'page.html'],
    'two categories are given: map and --category font',
  ],
  [['hosting/kiln', '--category', 'font', '--html', 'page.html'], 'a hosting rule has no category'],
  [['builder/kiln', 'page.html'], '"page.html" is not an http or https URL; to read a saved page, use --html FILE'],
  [
    ['builder/kiln', 'https://kiln.example', '--html', 'page.html'],
    '"https://kiln.example" cannot be combined with --html',
  ],
  [['builder/kiln', '--html', 'page.html', '--har', 'page.har'], '--html cannot be combined with --har'],
  [
    ['builder/kiln', '--har', 'page.har', '--url', 'https://kiln.example'],
    '--url describes a saved page: use it with --html FILE',
  ],
  [['builder/kiln', '--html', 'none.html'], '--html: there is no file "none.html"'],
  [['builder/kiln', '--html', 'page.html', '--in', 'none'], '--in: there is no folder "none"'],
  [['builder/kiln', 'http://127.0.0.1:1/'], 'To read a site on your own machine, allow its address with SCAN_ALLOW.'],
  [
    ['builder/kiln', '--html', 'plain.html', '--in', 'rules'],
    'this page shows nothing that test pages of other rules do not show',
  ],
])('wrong usage is reported: %j', async (args, sentence) => {
  const { code, stdout, stderr } = await runNew(args)
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
  expect(stderr).toContain(sentence)
})

test('a second rule can be proposed while the first one is not finished', async () => {
  const unfinished = technology().replace('name: Acme', "name: 'FILL IN: the name'")
  const files = { 'rules/technologies/map/acme.yaml': unfinished, 'rules/technologies/map/acme.test.yaml': TEST }
  const { code } = await runNew(['builder/kilnwork', '--html', 'page.html', '--in', 'rules'], { files })
  expect(code).toBe(0)
})
