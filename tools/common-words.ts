import { defineCommand, EXIT, UsageError } from '../src/cli/command/command.ts'
import { runMain } from '../src/cli/command/run-main.ts'
import { formatChoice } from '../src/yaml/hint.ts'
import { writeCodeWords } from './words/code-words.ts'
import { writePageWords } from './words/page-words.ts'
import { writeWindowNames } from './words/write-window-names.ts'

const HELP = `
Writes the tables of src/rules/checks/ and src/authoring/common-words/, with which lint judges whether a word says something about a product.

  node tools/start.mjs tools/common-words code
      Writes code-words.txt: common English words, the names of Web APIs, and the words that several well-known libraries have in
      common. Downloads the libraries with npm, about 60 MB, and needs a minute or two.
  node tools/start.mjs tools/common-words window
      Writes window-names.txt: the properties of window in Chromium before any script of a page has run.
  node tools/start.mjs tools/common-words pages FILE…
      Writes page-words.txt: the words of many unrelated sites, counted on the pages of JSON Lines files as "scan --batch" reads them.
      A word that belongs to a product, by the rules that fire where it is, is left out. Needs about 2 minutes and 4 GB for
      2,400 pages; nothing else of the pages is written.
`

const TABLES = ['code', 'pages', 'window']

const main = defineCommand(HELP, async ([table = '', ...files], io) => {
  if (!TABLES.includes(table)) throw new UsageError(`there is no table "${table}"${formatChoice(table, TABLES)}`)
  if (table === 'pages' && files.length === 0) throw new UsageError('pages takes files with pages')
  const today = new Date().toISOString().slice(0, 10)
  const write = { code: writeCodeWords, window: writeWindowNames, pages: () => writePageWords(files, today) }[table]
  io.stdout.write(`${await write?.()}\n`)
  return EXIT.ok
})

await runMain(main, process.argv.slice(2))
