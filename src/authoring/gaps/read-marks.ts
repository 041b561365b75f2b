import { getDomain } from 'tldts'
import type { Page } from '../../engine/page/page-types.ts'
import { cutLine } from '../../engine/text/bounds.ts'
import { readCredits } from './credit-marks.ts'
import { readGenerators, readHeaders, readSite } from './declared-marks.ts'
import type { Explainer } from './explainer.ts'
import { MAX_SHOWN, type Mark } from './mark.ts'
import { readGlobals, readPrefixes } from './name-marks.ts'
import { readResources } from './resource-marks.ts'

/** Maximum number of marks of one page: a hostile page has a million class names. */
const MAX_MARKS = 300

/** Maximum number of characters of a key. */
const MAX_KEY = 80

/** Reads what may show the product in a page: each mark once, without those of the site itself and generic ones. */
export function readMarks(page: Page, explainer: Explainer): Mark[] {
  return [
    ...readGenerators(page, explainer),
    ...readCredits(page, explainer),
    ...readSite(page, explainer),
    ...readResources(page, explainer),
    ...readHeaders(page, explainer),
    ...readGlobals(page, explainer),
    ...readPrefixes(page, explainer),
  ]
    .slice(0, MAX_MARKS)
    .map((mark) => ({
      ...mark,
      key: cutLine(mark.key, MAX_KEY),
      shown: cutLine(mark.shown, MAX_SHOWN),
      isExplained: mark.isExplained || explainer.names(findName(mark)),
    }))
}

/** Finds the part of a mark that may be the name of its product: `acme` of `cdn.acme.com`, `*.acme.app` and `acme-`. */
function findName({ kind, key }: Mark): string {
  if (kind === 'resource' || kind === 'site') return getDomain(key.replace('*.', ''))?.split('.', 1)[0] ?? key
  return key
}
