// Bundles the entries of dist/src into dist/bundle, so that a start reads few files: importing hundreds of modules takes longer than
// what most commands then do. The compiled modules stay where they are for tools and tests; an entry becomes one line that imports its
// bundle.
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { builtinModules } from 'node:module'
import { basename, dirname, join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'
import { bundleTypes } from './bundle-types.mjs'
import { collectLicences } from './bundled-licences.mjs'
import { escapeNonAscii } from './escape-non-ascii.mjs'
import { inlineForwards } from './inline-forwards.mjs'
import { mergeChunks } from './merge-chunks.mjs'
import { removeSpace } from './remove-space.mjs'
import { slimPackages } from './slim-packages.mjs'

const dist = fileURLToPath(new URL('../dist', import.meta.url))
const output = join(dist, 'bundle')

/** Modules that processes and threads begin with. */
const ENTRIES = [
  'src/main',
  'src/worker',
  'src/cli/run',
  'src/siteprint',
  'src/cli/rules/explain-worker',
  'src/cli/rules/gaps-worker',
  'src/cli/rules/trial-worker',
  'src/index',
  'src/detector/match-worker',
  'src/scan/fetch-worker',
  'src/browser/render-worker',
]

/**
 * Packages that are bundled: those of the engine and of the commands, which are small and many, and those of the service with hundreds
 * of modules. They are dependencies for development only, because the package contains their code. The others have native code, files or
 * threads of their own.
 */
const BUNDLED = new Set([
  // Accounts and the portal.
  '@better-auth/core',
  '@better-auth/kysely-adapter',
  '@better-auth/memory-adapter',
  '@better-auth/mongo-adapter',
  '@better-auth/telemetry',
  '@better-auth/utils',
  '@better-fetch/fetch',
  '@noble/ciphers',
  '@noble/hashes',
  '@sinclair/typebox',
  '@stablelib/base64',
  'better-auth',
  'better-call',
  'defu',
  'jose',
  'kysely',
  'nodemailer',
  'preact',
  'preact-render-to-string',
  'rou3',
  'zod',
  // The HTTP server, its log and its metrics.
  '@fastify/ajv-compiler',
  '@fastify/busboy',
  '@fastify/cors',
  '@fastify/deepmerge',
  '@fastify/error',
  '@fastify/fast-json-stringify-compiler',
  '@fastify/forwarded',
  '@fastify/multipart',
  '@fastify/proxy-addr',
  '@lukeed/ms',
  '@opentelemetry/api',
  '@pinojs/redact',
  'abstract-logging',
  'ajv',
  'atomic-sleep',
  'avvio',
  'bintrees',
  'cookie',
  'fast-decode-uri-component',
  'fast-deep-equal',
  'fast-json-stringify',
  'fast-querystring',
  'fast-uri',
  'fastify',
  'fastify-plugin',
  'fastq',
  'find-my-way',
  'helmet',
  'json-schema-traverse',
  'light-my-request',
  'on-exit-leak-free',
  'pino',
  'pino-std-serializers',
  'process-warning',
  'prom-client',
  'quick-format-unescaped',
  'real-require',
  'ret',
  'reusify',
  'rfdc',
  'safe-regex2',
  'safe-stable-stringify',
  'secure-json-parse',
  'semver',
  'set-cookie-parser',
  'sonic-boom',
  'tdigest',
  'thread-stream',
  'toad-cache',
  // The engine, the commands and scans.
  '@eslint-community/regexpp',
  '@exodus/bytes',
  'boolbase',
  'cli-progress',
  'css-what',
  'csv-parse',
  'csv-stringify',
  'dataloader',
  'dom-serializer',
  'domelementtype',
  'domhandler',
  'domutils',
  'entities',
  'fast-sha256',
  'html-encoding-sniffer',
  'htmlparser2',
  'http-message-sig',
  'import-meta-resolve',
  'ipaddr.js',
  'js-yaml',
  'json-logic-js',
  'leven',
  'lru-cache',
  'murmurhash',
  'nanoid',
  'standardwebhooks',
  'structured-headers',
  'tldts',
  'tldts-core',
  'tough-cookie',
  'undici',
  'yaml',
])

/** Makes a bundled CommonJS module that the source loads on first use part of the bundle, where it is still evaluated on first use. */
const bundleRequired = {
  name: 'bundle-required',
  transform(code, id) {
    if (!id.startsWith(dist) || !code.includes('createRequire(import.meta.url)(')) return null
    return code.replace(/createRequire\(import\.meta\.url\)\((['"])([^'"]+)\1\)/g, (call, _, name) =>
      BUNDLED.has(name) ? `require('${name}')` : call,
    )
  },
}

/** `import.meta` of a module names the file that tsc has written, which lies next to the data that the module reads. */
const keepLocations = {
  name: 'keep-locations',
  transform(code, id) {
    if (!id.startsWith(dist) || !code.includes('import.meta')) return null
    const path = relative(output, id).split(sep).join('/')
    return code
      .replaceAll('import.meta.url', `new URL('${path}', import.meta.url).href`)
      .replaceAll('import.meta.dirname', `fileURLToPathOfBundle(new URL('${dirname(path)}', import.meta.url))`)
      .concat("\nimport { fileURLToPath as fileURLToPathOfBundle } from 'node:url'\n")
  },
}

function isExternal(id) {
  if (id.startsWith('node:') || builtinModules.includes(id)) return true
  if (id.startsWith('.') || id.startsWith('/') || id.startsWith('\0')) return false
  const name = id.split('/', id.startsWith('@') ? 2 : 1).join('/')
  return !BUNDLED.has(name)
}

rmSync(output, { recursive: true, force: true })
const options = {
  input: Object.fromEntries(ENTRIES.map((name) => [basename(name), join(dist, `${name}.js`)])),
  platform: 'node',
  external: isExternal,
  plugins: [slimPackages, bundleRequired, keepLocations],
  treeshake: true,
}

/** Chunks that entries share. More are faster, because an entry then reads less that it does not need; a package has at most 120 files. */
const SHARED_CHUNKS = 26

/** Bundles once to see which entries share what, then again with small chunks merged. */
async function bundleEntries() {
  const plain = await rolldown(options)
  const { output: chunks } = await plain.generate({ format: 'esm' })
  await plain.close()
  const groups = mergeChunks(chunks, SHARED_CHUNKS)
  const bundle = await rolldown({ ...options, preserveEntrySignatures: 'allow-extension' })
  const written = await bundle.write({
    dir: output,
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: 'chunk-[hash].js',
    sourcemap: false,
    // Docstrings are in the types, licences in a file of their own; without them a scan needs 1 MB less.
    comments: false,
    codeSplitting: {
      includeDependenciesRecursively: false,
      groups: [{ name: (id) => groups.get(id) ?? null, debugName: 'shared' }],
    },
  })
  await bundle.close()
  return written.output
}

const chunks = await bundleEntries()
inlineForwards(output)
removeSpace(output)
escapeNonAscii(output)
writeFileSync(join(output, 'THIRD-PARTY.txt'), collectLicences(chunks.flatMap(({ moduleIds = [] }) => moduleIds)))
for (const name of ENTRIES) {
  if (name === 'src/index') continue // Tools and tests import the library's modules with it.
  const path = relative(dirname(join(dist, name)), join(output, `${basename(name)}.js`))
    .split(sep)
    .join('/')
  const file = join(dist, `${name}.js`)
  const hasDefault = /^export default /m.test(readFileSync(file, 'utf8'))
  writeFileSync(file, `export * from '${path}'\n${hasDefault ? `export { default } from '${path}'\n` : ''}`)
}

await bundleTypes('dist/src/index.d.ts', output, 'index')
