import { parse } from 'yaml'
import type { Cycle, Lifecycles, Product } from '../../src/lifecycles/lifecycle-types.ts'

/** The part of a product file of endoflife.date that is read: https://endoflife.date/contribute says what its fields mean. */
interface FrontMatter {
  readonly identifiers?: readonly Readonly<Record<string, string>>[]
  readonly releases: readonly PublishedCycle[]
}

interface PublishedCycle {
  readonly releaseCycle: string
  readonly releaseDate: string
  /** End of active support. */
  readonly eoas?: string | boolean
  readonly eol: string | boolean
  readonly latest?: string
}

/**
 * Reads the file of a product of endoflife.date.
 * @param former what is known of it; what is written by hand is kept
 * @throws Error if the file has no front matter with releases
 */
export function readProduct(text: string, product: string, former?: Product): Product {
  const [, yaml] = /^---\r?\n([\s\S]*?)\r?\n---/.exec(text) ?? []
  const { identifiers = [], releases } = (parse(yaml ?? '', { schema: 'core' }) ?? {}) as Partial<FrontMatter>
  if (!Array.isArray(releases)) throw new Error(`${product}.md has no releases`)
  return {
    product,
    cpe: findCpe(identifiers) ?? null,
    npm: findPackage(identifiers) ?? null,
    ...(former?.packaged && { packaged: true }),
    cycles: (releases as readonly PublishedCycle[]).map(readCycle),
  }
}

function readCycle({ releaseCycle, releaseDate, eoas, eol, latest }: PublishedCycle): Cycle {
  return {
    cycle: String(releaseCycle),
    released: releaseDate,
    ...(eoas !== undefined && { activeEnds: eoas }),
    ends: eol,
    ...(latest !== undefined && { latest: String(latest) }),
  }
}

/** A product that was renamed has several names; the last one is the newest. */
function findCpe(identifiers: NonNullable<FrontMatter['identifiers']>): string | undefined {
  return identifiers.flatMap(({ cpe }) => (cpe?.startsWith('cpe:2.3:') ? [cpe] : [])).at(-1)
}

function findPackage(identifiers: NonNullable<FrontMatter['identifiers']>): string | undefined {
  const [url] = identifiers.flatMap(({ purl }) => (purl?.startsWith('pkg:npm/') ? [purl] : []))
  return url === undefined ? undefined : decodeURIComponent(url.slice('pkg:npm/'.length))
}

type Products = Lifecycles['products']

/** Lists what differs, one line for each cycle. */
export function listDifferences(before: Products, after: Products): readonly string[] {
  return Object.keys({ ...before, ...after })
    .sort()
    .flatMap((slug) => {
      const [old, now] = [indexCycles(before[slug]), indexCycles(after[slug])]
      const names = (['cpe', 'npm'] as const).filter((key) => before[slug] && before[slug][key] !== after[slug][key])
      const changed = names.map((key) => `${slug}: ${key} was ${before[slug][key]} and is ${after[slug][key]} now`)
      const cycles = [...new Set([...now.keys(), ...old.keys()])].flatMap((cycle) => {
        const [from, to] = [old.get(cycle), now.get(cycle)]
        if (from === to) return []
        if (from === undefined) return [`${slug} ${cycle}: new, ${to}`]
        return [to === undefined ? `${slug} ${cycle}: gone` : `${slug} ${cycle}: ${from} before, ${to} now`]
      })
      return [...changed, ...cycles]
    })
}

function indexCycles(product: Product | undefined): ReadonlyMap<string, string> {
  return new Map(
    product?.cycles.map(({ cycle, ...rest }) => [
      cycle,
      Object.entries(rest)
        .map(([key, value]) => `${key} ${value}`)
        .join(', '),
    ]),
  )
}

/** Formats the file with one line for each cycle, so that changes can be read. */
export function formatLifecycles({ products, distributions, ...head }: Lifecycles): string {
  const lines = Object.keys(products)
    .sort()
    .map((slug) => {
      const { cycles, ...rest } = products[slug]
      const fields = Object.entries(rest).map(
        ([key, value]) => `      ${JSON.stringify(key)}: ${JSON.stringify(value)},\n`,
      )
      const rows = cycles.map((cycle) => `        ${formatInline(cycle)}`)
      return `    ${JSON.stringify(slug)}: {\n${fields.join('')}      "cycles": [\n${rows.join(',\n')}\n      ]\n    }`
    })
  const fields = Object.entries(head).map(([key, value]) => `  ${JSON.stringify(key)}: ${JSON.stringify(value)},\n`)
  const systems = distributions.map((slug) => JSON.stringify(slug)).join(', ')
  return `{\n${fields.join('')}  "distributions": [${systems}],\n  "products": {\n${lines.join(',\n')}\n  }\n}\n`
}

function formatInline(cycle: Cycle): string {
  return `{ ${Object.entries(cycle)
    .map(([key, value]) => `${JSON.stringify(key)}: ${JSON.stringify(value)}`)
    .join(', ')} }`
}
