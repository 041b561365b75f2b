// Renews the release cycles of products: `node tools/start.mjs tools/lifecycles CHECKOUT`.
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { defineCommand, EXIT, readArgs, UsageError } from '../src/cli/command/command.ts'
import { runMain } from '../src/cli/command/run-main.ts'
import type { Lifecycles } from '../src/lifecycles/lifecycle-types.ts'
import { ownFolder } from '../src/rules/built.ts'
import { formatLifecycles, listDifferences, readProduct } from './lifecycles/read-product.ts'

const FILE = join(ownFolder, 'lifecycles.json')

const HELP = `
Renews rules/lifecycles.json from a checkout of https://github.com/endoflife-date/endoflife.date, and prints the differences.

  node tools/start.mjs tools/lifecycles CHECKOUT [--add SLUG=PRODUCT] [--write]

  --add SLUG=PRODUCT   also reads this product for the rule with this slug (may be repeated)
  --write              writes the file

Exit code: 0 success, 2 wrong usage, or a product that cannot be read.
`

const main = defineCommand(HELP, async (args, { stdout }) => {
  const options = { add: { type: 'string', multiple: true }, write: { type: 'boolean' } } as const
  const { values, positionals } = readArgs({ args, allowPositionals: true, options })
  const [checkout, ...others] = positionals
  if (checkout === undefined || others.length > 0) throw new UsageError('name the folder of one checkout')
  const former = JSON.parse(readFileSync(FILE, 'utf8')) as Lifecycles
  const products = { ...former.products }
  const wanted = Object.entries(former.products).map(([slug, { product }]) => [slug, product] as const)
  for (const [slug, name] of [...wanted, ...(values.add ?? []).map(parseAddition)]) {
    const text = readFileSync(join(checkout, 'products', `${name}.md`), 'utf8')
    products[slug] = readProduct(text, name, former.products[slug])
  }
  const git = (...words: string[]): string =>
    execFileSync('git', ['-C', checkout, ...words], { encoding: 'utf8' }).trim()
  const commit = git('rev-parse', '--short=9', 'HEAD')
  const date = git('log', '-1', '--format=%cs')
  for (const line of listDifferences(former.products, products)) stdout.write(`${line}\n`)
  stdout.write(
    `${Object.keys(products).length} products, commit ${commit} of ${date}; before ${former.commit} of ${former.date}\n`,
  )
  if (values.write) writeFileSync(FILE, formatLifecycles({ ...former, commit, date, products }))
  return EXIT.ok
})

await runMain(main, process.argv.slice(2))

function parseAddition(text: string): readonly [slug: string, product: string] {
  const [, slug, product] = /^([a-z0-9-]+)=([a-z0-9-]+)$/.exec(text) ?? []
  if (product === undefined) throw new UsageError(`--add must be SLUG=PRODUCT, not "${text}"`)
  return [slug, product]
}
