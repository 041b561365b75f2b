import { parentPort, workerData } from 'node:worker_threads'
import { cutLine, MAX_TITLE } from '../engine/text/bounds.ts'
import { buildPage, detect, type LoadOptions, loadRuleset, type PageInput, type Verdict } from '../index.ts'
import { buildCatalogue, type CatalogueEntry } from './catalogue.ts'
import { buildLabels, type RulesetLabels } from './ruleset-labels.ts'

/** A page for a worker. */
export interface Task {
  readonly id: number
  readonly input: PageInput
}

/** The result of matching one page. */
export interface Matched {
  /** Plain data that includes the evidence. */
  readonly verdict: Verdict
  /** The title of the page on one line, cut to a bound; null if it has none. */
  readonly title: string | null
  readonly buildMs: number
  readonly detectMs: number
}

/** The properties of the rules that are needed outside of the workers. */
export interface RulesetInfo {
  /** Fingerprint of the content of the rules. */
  readonly version: string
  /** DNS records that rules read. */
  readonly wantedDns: readonly string[]
  /** Builder category → its name in revision 1 of the API. */
  readonly categories: Readonly<Record<string, string>>
  readonly siteTypes: readonly string[]
  readonly labels: RulesetLabels
  readonly catalogue: readonly CatalogueEntry[]
}

const ruleset = await loadRuleset(workerData as LoadOptions)
// The index of a place is built when the first page has content there. This page triggers that, so that it does not count
// towards the time limit of a client's page.
match({
  id: 0,
  input: {
    url: 'https://example.com/',
    status: 200,
    headers: { server: 'a', 'set-cookie': 'a=b' },
    scripts: [{ url: '/a', text: 'a' }],
    styles: [{ url: '/a', text: 'a' }],
    html: `<!doctype html><title>a</title><meta name=a content=a><link rel=a href=/a><script src=/a></script><script>a</script>
      <style>a</style><script type="application/ld+json">{"@type":"a"}</script><body><!-- a --><a href=/a><img src=/a></a><iframe src=/a></iframe>`,
  },
})

/**
 * Describes the rules that this worker has loaded.
 * @public called by name
 */
export function info(): RulesetInfo {
  const { builders } = ruleset.categories
  return {
    version: ruleset.version,
    wantedDns: ruleset.wanted('dns'),
    categories: Object.fromEntries(Object.entries(builders).map(([name, { revision1 }]) => [name, revision1 ?? name])),
    siteTypes: ruleset.rules.filter(({ kind, unnamed }) => kind === 'site-type' && !unnamed).map(({ slug }) => slug),
    labels: buildLabels(ruleset),
    catalogue: buildCatalogue(ruleset.rules),
  }
}

/**
 * Builds the page and runs detection. Sends the ID first, which starts the time limit of the page.
 * @public called by name
 */
export function match({ id, input }: Task): Matched {
  parentPort?.postMessage(id)
  const started = performance.now()
  const page = buildPage(input)
  const built = performance.now()
  const verdict = detect(ruleset, page)
  const title = page.title ? cutLine(page.title, MAX_TITLE) : null
  return { verdict: { ...verdict }, title, buildMs: built - started, detectMs: performance.now() - built }
}
