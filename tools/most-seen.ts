import { defineCommand, EXIT, UsageError } from '../src/cli/command/command.ts'
import { runMain } from '../src/cli/command/run-main.ts'
import { readBatchFile } from '../src/cli/scan/batch-lines.ts'
import { buildPage, detect, loadRuleset } from '../src/index.ts'

/** Number of technologies whose rules must say what they are. */
const COUNT = 300

const HELP = `
Lists the technologies that are on most of the given pages, as rules/most-seen.yaml has them: their rules need the key about.

  node tools/start.mjs tools/most-seen FILE… >rules/most-seen.yaml
      Reads the pages of JSON Lines files as "scan --batch" reads them.
`

const HEAD = `# The technologies that are on most of the pages on which the project measures itself: their rules need the key about, which
# test/rules/about.test.ts checks. Written by: node tools/start.mjs tools/most-seen FILE… >rules/most-seen.yaml
`

const main = defineCommand(HELP, async (files, io) => {
  if (files.length === 0) throw new UsageError('name files with pages')
  const ruleset = await loadRuleset()
  const slugs = new Map(ruleset.rules.filter(({ kind }) => kind === 'technology').map(({ name, slug }) => [name, slug]))
  const counts = new Map<string, number>()
  for (const file of files)
    for await (const { input } of readBatchFile(file))
      for (const name of detect(ruleset, buildPage(input)).technologies) {
        const slug = slugs.get(name)
        if (slug !== undefined) counts.set(slug, (counts.get(slug) ?? 0) + 1)
      }
  const ranked = [...counts].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1)).slice(0, COUNT)
  io.stdout.write(`${HEAD}${ranked.map(([slug]) => `- ${slug}\n`).join('')}`)
  return EXIT.ok
})

await runMain(main, process.argv.slice(2))
