// Adapter of wappalyzer-core, with rules that the user names. The page is read with linkedom. Scripts are not run, so that
// `js` and the properties of `dom` find nothing.
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join, resolve } from 'node:path'
import { groupHeaders, isTwice, readArgument, runAdapter } from './line-adapter.mjs'

const require = createRequire(join(resolve(readArgument('--packages')), 'package.json'))
const Wappalyzer = require('wappalyzer-core')
const { parseHTML } = require('linkedom')
const version = JSON.parse(readFileSync(require.resolve('wappalyzer-core/package.json'), 'utf8')).version

const technologies = {}
const categories = {}
for (const content of listFiles(resolve(readArgument('--rules'))).map((file) => JSON.parse(readFileSync(file, 'utf8'))))
  for (const part of [content.technologies ?? content.apps ?? content, content.categories ?? {}])
    for (const [name, one] of Object.entries(part))
      if (one?.cats !== undefined) technologies[name] = one
      else if (one?.name !== undefined) categories[name] = one
const names = Object.keys(technologies)
if (isTwice) for (const name of names) technologies[`${name} (copy)`] = technologies[name]
Wappalyzer.setTechnologies(technologies)
for (const id of new Set(Object.values(technologies).flatMap(({ cats }) => cats)))
  categories[id] ??= { name: `Category ${id}`, priority: 1 }
Wappalyzer.setCategories(categories)

await runAdapter({ version, rules: names.length, canDouble: true }, ({ url, headers, html }) => {
  const address = url ?? 'https://unknown.example/'
  const { document } = parseHTML(html || '<html></html>')
  const items = readItems(address, groupHeaders(headers), { document, html: html ?? '' })
  const analyze = (some) => [...Wappalyzer.analyze(items, some), ...analyzeDom(document, some)]
  const found = analyze(Wappalyzer.technologies)
  const first = new Set(Wappalyzer.resolve(found).map(({ name }) => name))
  for (const { name, technologies: more } of Wappalyzer.requires) if (first.has(name)) found.push(...analyze(more))
  const resolved = Wappalyzer.resolve(found)
  const versions = Object.fromEntries(resolved.flatMap(({ name, version: one }) => (one ? [[name, one]] : [])))
  return { names: resolved.map(({ name }) => name), versions }
})

function listFiles(path) {
  if (statSync(path).isFile()) return [path]
  const files = readdirSync(path, { recursive: true }).filter((name) => name.endsWith('.json'))
  return files.sort().map((name) => join(path, name))
}

/** What `analyze` takes: lists of values by kind. */
function readItems(url, headers, { document, html }) {
  const meta = {}
  for (const one of document.querySelectorAll('meta')) {
    const name = one.getAttribute('name') ?? one.getAttribute('property')
    if (name) (meta[name.toLowerCase()] ??= []).push(one.getAttribute('content') ?? '')
  }
  const scripts = [...document.querySelectorAll('script')]
  const cookies = {}
  for (const line of headers['set-cookie'] ?? []) {
    const [, name, value] = /^([^=;]+)=?([^;]*)/.exec(line) ?? []
    if (name) (cookies[name.trim().toLowerCase()] ??= []).push(value)
  }
  return {
    url,
    html,
    headers,
    meta,
    cookies,
    text: document.body?.textContent ?? '',
    css: [...document.querySelectorAll('style')].map((style) => style.textContent).join('\n'),
    scriptSrc: scripts.flatMap((script) => script.getAttribute('src') ?? []),
    scripts: scripts.filter((script) => !script.hasAttribute('src')).map((script) => script.textContent),
  }
}

/** The evidence `dom`, which the callers of wappalyzer-core read themselves: elements, their texts and attributes. */
function analyzeDom(document, some) {
  const selected = new Map()
  const select = (selector) => {
    if (!selected.has(selector)) selected.set(selector, selectAll(document, selector))
    return selected.get(selector)
  }
  return some.flatMap((technology) =>
    Object.entries(technology.dom ?? {}).flatMap(([selector, tests]) => {
      const elements = select(selector)
      return elements.length === 0
        ? []
        : tests.flatMap((test) => testElements(technology, { selector, test, elements }))
    }),
  )
}

function selectAll(document, selector) {
  try {
    return [...document.querySelectorAll(selector)]
  } catch {
    return [] // A selector that the DOM does not support.
  }
}

function testElements(technology, { selector, test: { exists, text, attributes }, elements }) {
  const run = (path, test, values) =>
    Wappalyzer.analyzeManyToMany({ ...technology, dom: { [selector]: [test] } }, path, { [selector]: values })
  return [
    ...(exists === undefined ? [] : run('dom.exists', { exists }, [''])),
    ...(text === undefined
      ? []
      : run(
          'dom.text',
          { text },
          elements.map((one) => one.textContent.trim()),
        )),
    ...Object.entries(attributes ?? {}).flatMap(([name, test]) => {
      const values = elements.flatMap((one) => one.getAttribute(name) ?? [])
      return run(`dom.attributes.${name}`, { attributes: { [name]: test } }, values)
    }),
  ]
}
