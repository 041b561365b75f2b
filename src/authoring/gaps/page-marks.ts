import { getDomain } from 'tldts'
import type { Ruleset } from '../../engine/lookup/ruleset.ts'
import { buildPage, type PageInput } from '../../engine/page/page.ts'
import { parseUrl } from '../../engine/text/parse-url.ts'
import { findSite } from '../../engine/text/url.ts'
import { Explainer } from './explainer.ts'
import type { PageMarks } from './gap-counter.ts'
import { readMarks } from './read-marks.ts'

/** Reads the marks of a page. @param name of the page in its file */
export function readPageMarks(ruleset: Ruleset, name: string, input: PageInput): PageMarks {
  const page = buildPage(input)
  const explainer = new Explainer(ruleset, page)
  const marks = readMarks(page, explainer)
  const { builder, rules } = explainer
  return { page: name, site: page.url === null ? name : findSite(page.url.host), rules, builder, marks }
}

/**
 * Reads the only mark of a scan's result: the domain below which the site is.
 * @param found whether the scan named a builder or a hosting provider, which explains the domain
 */
export function readResultMarks(
  name: string,
  { url, builder, isFound }: { readonly url: string; readonly builder: string | null; readonly isFound: boolean },
): PageMarks | null {
  const host = parseUrl(url)?.hostname
  if (host === undefined) return null
  const domain = getDomain(host)
  const isBelow = domain !== null && host !== domain && host !== `www.${domain}`
  const marks = isBelow ? [{ kind: 'site' as const, key: `*.${domain}`, shown: host, isExplained: isFound }] : []
  return { page: name, site: findSite(host), rules: [], builder, marks }
}
