// Prints the section of CHANGELOG.md about a version, as the notes of its release: `node tools/release/notes.mjs 1.2.0`.
import { readFileSync } from 'node:fs'

const [version = ''] = process.argv.slice(2)
const text = readFileSync(new URL('../../CHANGELOG.md', import.meta.url), 'utf8')
const section = text.split(/^(?=## )/m).find((one) => one.startsWith(`## [${version}] - `))
const notes = section?.split('\n').slice(1).join('\n').trim() ?? ''
if (notes === '') {
  process.stderr.write(
    `CHANGELOG.md has no notes of the version "${version}": make the release with tools/release/release.sh\n`,
  )
  process.exitCode = 1
} else process.stdout.write(`${notes}\n`)
