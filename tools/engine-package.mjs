// Builds the package `siteprint-engine` in dist/engine from the compiled sources and the built ruleset: one module, its types, and the
// ruleset as a module of its own, which is imported when a ruleset is loaded.
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { rolldown } from 'rolldown'
import { bundleTypes } from './bundle-types.mjs'
import { collectLicences } from './bundled-licences.mjs'
import { removeSpace } from './remove-space.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const output = join(root, 'dist', 'engine')
rmSync(output, { recursive: true, force: true })
mkdirSync(output, { recursive: true })

const bundle = await rolldown({
  input: { index: join(root, 'dist', 'src', 'siteprint-engine.js') },
  platform: 'browser',
  external: (id) => id.endsWith('/compiled-ruleset.js'),
  treeshake: true,
})
const { output: chunks } = await bundle.write({ dir: output, format: 'esm', entryFileNames: '[name].js' })
await bundle.close()
if (chunks.length !== 1) throw new Error(`the engine is ${chunks.length} files instead of one`)
removeSpace(output)
// The white space is removed with other quotes, and bundlers read the name of a module in these only.
const file = join(output, 'index.js')
const [code, ruleset] = [readFileSync(file, 'utf8'), './compiled-ruleset.js']
if (!code.includes(`\`${ruleset}\``)) throw new Error('the engine does not import its ruleset')
writeFileSync(file, code.replace(`\`${ruleset}\``, `"${ruleset}"`))

const compressed = gzipSync(readFileSync(join(root, 'dist', 'ruleset.bin')), { level: 9 })
writeFileSync(
  join(output, 'compiled-ruleset.js'),
  `export const compiledRuleset = '${compressed.toString('base64')}'\n`,
)
await bundleTypes('dist/src/siteprint-engine.d.ts', output, 'index')

const { version, license, engines, repository } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const manifest = {
  name: 'siteprint-engine',
  version,
  description:
    'Detects what a website is made with, from a page that was fetched already: in Node, browsers, workers, Deno and Bun',
  license,
  repository,
  type: 'module',
  sideEffects: false,
  engines,
  exports: { '.': { types: './index.d.ts', default: './index.js' }, './package.json': './package.json' },
  files: ['index.js', 'index.d.ts', 'compiled-ruleset.js', 'THIRD-PARTY.txt'],
}
writeFileSync(join(output, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`)
writeFileSync(join(output, 'THIRD-PARTY.txt'), collectLicences(chunks[0].moduleIds))
copyFileSync(join(root, 'LICENSE'), join(output, 'LICENSE'))
copyFileSync(join(root, 'docs', 'engine.md'), join(output, 'README.md'))
