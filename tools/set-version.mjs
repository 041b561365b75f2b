// Writes the version of package.json to the clients. `npm version` runs it, so that all packages have one version.
import { readFileSync, writeFileSync } from 'node:fs'

const root = new URL('..', import.meta.url)
const { version } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8'))
for (const [file, pattern, text] of [
  ['clients/typescript/package.json', /^ {2}"version": ".*"/m, `  "version": "${version}"`],
  ['clients/python/pyproject.toml', /^version = ".*"/m, `version = "${version}"`],
]) {
  const path = new URL(file, root)
  const before = readFileSync(path, 'utf8')
  if (!pattern.test(before)) throw new Error(`${file} has no version`)
  writeFileSync(path, before.replace(pattern, text))
}
