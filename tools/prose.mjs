// Reports phrases that the project's texts no longer use, in code, comments, messages and documents, and what to write
// instead: node tools/prose.mjs [file…]. Exit code: 0 none, 1 some. Plain JavaScript, so it needs neither packages nor a build.
import { readdirSync, readFileSync } from 'node:fs'
import { relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { findPhrases } from './prose/find-phrases.mjs'

const FOLDERS = ['.ci', 'deploy', 'docs', 'examples', 'plugins', 'rules', 'src', 'test', 'tools']
const TEXTS = /(?:\.(?:css|js|md|tsx?|mjs|sh|yaml|toml)|Dockerfile|\.dockerignore|\.ci\/run)$/
/** Test pages imitate texts of other authors. The last files quote the phrases. */
const EXCLUDED =
  /^(?:rules\/.*\.test\.yaml|test\/pages\/.*|tools\/prose\/find-phrases\.mjs|test\/tools\/prose\.(?:test|system)\.ts)$/

const root = fileURLToPath(new URL('..', import.meta.url))

/** The text files of the project, as paths from its root. */
function listFiles() {
  const below = FOLDERS.flatMap((folder) =>
    readdirSync(`${root}${folder}`, { withFileTypes: true, recursive: true })
      .filter((entry) => entry.isFile())
      .map((entry) => relative(root, `${entry.parentPath}${sep}${entry.name}`).split(sep).join('/')),
  )
  return [...readdirSync(root), ...below].filter((file) => TEXTS.test(file) && !EXCLUDED.test(file)).sort()
}

/** Reads a file without the tests that follow a rule, whose pages imitate texts of other authors too. */
function readOwnText(file) {
  const text = readFileSync(file, 'utf8')
  return file.startsWith(`${root}rules/`) ? text.split('\n---\n', 1)[0] : text
}

const given = process.argv.slice(2)
const files = given.length > 0 ? given : listFiles().map((file) => `${root}${file}`)
const found = files.flatMap((file) => findPhrases(relative(process.cwd(), file), readOwnText(file)))
for (const line of found) console.log(line)
console.error(found.length === 0 ? `${files.length} files: no retired phrases` : `${found.length} retired phrases`)
process.exitCode = found.length === 0 ? 0 : 1
