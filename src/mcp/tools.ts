import { Ajv, type ValidateFunction } from 'ajv'
import { NOT_RENDERED } from '../scan/render-modes.ts'
import { formatAside } from '../yaml/hint.ts'
import { type Backend, type SiteResult, ToolError } from './backend.ts'
import { quoteEvidence, quotePage } from './quote-page.ts'
import type { Tool } from './tool.ts'
import * as schemas from './tool-schemas.ts'

/** Sites of a comparison that are scanned at the same time. */
const CONCURRENT_SCANS = 3

/** Tools by name. */
export const TOOLS: Readonly<Record<string, Tool>> = {
  scan_site: {
    title: 'Scan a website',
    description:
      'Detects what a website is made with: builder (with confidence), technologies, hosting and type of site. Evidence and other extras are long: include them only when they are asked for.',
    input: schemas.SCAN_INPUT,
    output: schemas.SCAN_OUTPUT,
    isOpenWorld: true,
    run: (input, backend) => scanSite(input as schemas.ScanInput, backend),
  },
  explain_site: {
    title: 'Explain a detection',
    description: 'Explains why a builder, technology, hosting provider or type was detected on a website, or why not.',
    input: schemas.EXPLAIN_INPUT,
    output: schemas.EXPLAIN_OUTPUT,
    isOpenWorld: true,
    run: (input, backend) => explainSite(input as schemas.ExplainInput, backend),
  },
  compare_sites: {
    title: 'Compare websites',
    description: 'Scans two to ten websites and lists what all of them use, and what only one of them uses.',
    input: schemas.COMPARE_INPUT,
    output: schemas.COMPARE_OUTPUT,
    isOpenWorld: true,
    run: (input, backend) => compareSites(input as schemas.CompareInput, backend),
  },
  search_catalogue: {
    title: 'Search the catalogue',
    description: 'Searches what Siteprint can detect: builders, hosting providers, types of site and technologies.',
    input: schemas.SEARCH_INPUT,
    output: schemas.SEARCH_OUTPUT,
    isOpenWorld: false,
    run: (input, backend) => searchCatalogue(input as schemas.SearchInput, backend),
  },
  usage: {
    title: 'Show the usage',
    description: 'Shows how many scans were made and how many are left in this month.',
    input: schemas.USAGE_INPUT,
    output: schemas.USAGE_OUTPUT,
    isOpenWorld: false,
    run: async (_, backend) => ({ ...(await backend.readUsage()) }),
  },
}

/** Checks of inputs, compiled when a tool is first called. */
const checks = new Map<Tool, ValidateFunction>()
const ajv = new Ajv({ strict: false, verbose: true })

/**
 * Runs a tool.
 * @throws ToolError with a sentence that says what to change
 */
export async function runTool(tool: Tool, input: unknown, backend: Backend): Promise<object> {
  const check = checks.get(tool) ?? ajv.compile(tool.input)
  checks.set(tool, check)
  if (check(input)) return tool.run(input, backend)
  const [{ instancePath, params, message = '', schema, parentSchema = {} }] = check.errors ?? []
  const known = Object.keys(tool.input.properties)
  const accepted = known.length === 0 ? 'it takes no arguments' : `it takes ${known.join(', ')}`
  const { additionalProperty: unknown, missingProperty: missing } = params
  if (typeof unknown === 'string')
    throw new ToolError(`The argument ${quoteName(unknown)} is unknown${formatAside(unknown, known)}: ${accepted}.`)
  if (typeof missing === 'string') throw new ToolError(`The argument ${missing} is missing: ${accepted}.`)
  const [, name = ''] = instancePath.split('/')
  const hint = Array.isArray(schema) ? ` Use ${schema.join(', ')}.` : ''
  const { description } = parentSchema as { readonly description?: string }
  throw new ToolError(
    `The argument ${name} is not valid: it ${message}.${hint || (description ? ` ${description}` : '')}`,
  )
}

/** A name that a client has made up may be of any length. */
function quoteName(name: string): string {
  return JSON.stringify(name.slice(0, 40))
}

async function scanSite(
  { url, include = [], fresh = false, pages = 1, render = 'never' }: schemas.ScanInput,
  backend: Backend,
): Promise<schemas.ScanOutput> {
  const asked = render === 'never' ? include : [...include, 'warnings' as const]
  const result = await backend.scan(url, { include: asked, fresh, pages, render })
  const notRendered = result.warnings?.find((warning) => warning.startsWith(NOT_RENDERED))
  const fromPage = quotePage(result)
  const { parts } = result
  return {
    ...pickFields(result),
    ...(parts && { parts }),
    ...(result.page && { page: result.page }),
    ...(notRendered !== undefined && { notRendered }),
    ...(fromPage && { fromPage }),
  }
}

function pickFields(result: SiteResult) {
  const { url, builder, builderSlug, confidence, category, isAiNative, technologies, hosting, siteType, cached } =
    result
  return { url, builder, builderSlug, confidence, category, isAiNative, technologies, hosting, siteType, cached }
}

async function explainSite({ url, name }: schemas.ExplainInput, backend: Backend): Promise<schemas.ExplainOutput> {
  const catalogue = await backend.listCatalogue()
  const isMeant = (one: { readonly name: string; readonly slug: string }): boolean =>
    [one.name, one.slug].some((text) => text.toLowerCase() === name.trim().toLowerCase())
  const known = catalogue.find(isMeant)
  if (known === undefined) {
    const names = catalogue.map((entry) => entry.name)
    throw new ToolError(
      `Siteprint does not know ${quoteName(name)}${formatAside(name, names)}. Search the catalogue for what it knows.`,
    )
  }
  const { evidence = [], ...result } = await backend.scan(url, { include: ['evidence'], fresh: false })
  const own = evidence.filter((one) => isMeant(one))
  const detected = own.some(({ chosen }) => chosen)
  return {
    url: result.url,
    name: known.name,
    detected,
    answer: explain(known.name, own, result),
    ...(own.length > 0 && { fromPage: { ...schemas.QUOTED, ...quoteEvidence(own) } }),
  }
}

/** Says in a sentence why something was detected, or why not. */
function explain(name: string, own: NonNullable<SiteResult['evidence']>, { page }: Pick<SiteResult, 'page'>): string {
  const isSite = page === undefined || page.state === 'site'
  const instead = isSite ? '' : ` What came back is not the site (${page?.state}).`
  const chosen = own.find((one) => one.chosen)
  const [first] = own
  if (chosen !== undefined)
    return `${name} was detected${chosen.level === null ? '' : ` with ${chosen.level} confidence`}: ${countClauses(chosen.clauses.length)}.${instead}`
  if (first === undefined)
    return `${name} was not detected: the page has nothing that its rule looks for. Files that only a browser loads are not seen.${instead}`
  return `${name} was not detected, although ${countClauses(first.clauses.length)}: ${first.note ?? 'the evidence is too weak'}.${instead}`
}

function countClauses(count: number): string {
  return count === 1 ? '1 clause of its rule holds' : `${count} clauses of its rule hold`
}

async function compareSites({ urls }: schemas.CompareInput, backend: Backend): Promise<schemas.CompareOutput> {
  const wanted = [...new Set(urls)]
  const sites: schemas.CompareOutput['sites'][number][] = []
  const waiting = wanted.entries()
  const scanNext = async (): Promise<void> => {
    for (const [i, requested] of waiting)
      try {
        const result = await backend.scan(requested, { include: [], fresh: false })
        sites[i] = { ...pickFields(result), requested, error: null }
      } catch (error) {
        if (!(error instanceof ToolError)) throw error
        sites[i] = { requested, error: error.message }
      }
  }
  await Promise.all(Array.from({ length: CONCURRENT_SCANS }, scanNext))
  const scanned = sites.filter(({ error }) => error === null)
  const counts = new Map<string, number>()
  for (const name of scanned.flatMap(({ technologies = [] }) => technologies))
    counts.set(name, (counts.get(name) ?? 0) + 1)
  const [first] = scanned
  return {
    sites,
    shared: first?.technologies?.filter((name) => counts.get(name) === scanned.length) ?? [],
    own: Object.fromEntries(
      scanned.map(({ requested, technologies = [] }) => [
        requested,
        technologies.filter((name) => counts.get(name) === 1),
      ]),
    ),
  }
}

async function searchCatalogue(
  { text = '', kind, category }: schemas.SearchInput,
  backend: Backend,
): Promise<schemas.SearchOutput> {
  const wanted = text.trim().toLowerCase()
  const rank = ({ name, slug }: { readonly name: string; readonly slug: string }): number => {
    const names = [name.toLowerCase(), slug]
    return names.includes(wanted) ? 0 : names.some((one) => one.startsWith(wanted)) ? 1 : 2
  }
  const catalogue = await backend.listCatalogue()
  const found = catalogue
    .filter(
      (entry) => (kind === undefined || entry.kind === kind) && (category === undefined || entry.category === category),
    )
    .filter(({ name, slug, website }) => [name, slug, website ?? ''].some((one) => one.toLowerCase().includes(wanted)))
    .sort((a, b) => rank(a) - rank(b))
  if (found.length === 0 && category !== undefined) {
    const categories = [...new Set(catalogue.map((entry) => entry.category ?? ''))]
    if (!categories.includes(category))
      throw new ToolError(`There is no category ${quoteName(category)}${formatAside(category, categories)}.`)
  }
  return { total: found.length, entries: found.slice(0, schemas.MAX_ENTRIES) }
}
