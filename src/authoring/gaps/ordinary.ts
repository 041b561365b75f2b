import { isCommon } from '../../rules/checks/code-words.ts'
import { MIN_SITES, type PageWords, readPageWords } from '../common-words/page-words.ts'
import { splitParts } from '../common-words/tokens.ts'

/** Shorter parts of a name say nothing. */
const MIN_PART = 3

let own: PageWords | undefined

/** The table of ordinary words without those of products, because the rule of a product may be missing. */
function getTable(): PageWords {
  own ??= readPageWords().leaveOutProducts()
  return own
}

/** Whether many unrelated sites have a word in a section of the table. */
export function isOrdinary(section: string, word: string): boolean {
  return getTable().find(section, word).sites >= MIN_SITES
}

/** Whether ordinary pages have classes or ids that begin so. */
export function isOrdinaryPrefix(section: 'class' | 'id', prefix: string, stem: string): boolean {
  const table = getTable()
  return table.findBeginning(section, prefix).sites > 0 || table.find('part', `${section}~${stem}`).sites > 0
}

/** Whether all parts of a name are words of code or of English: `siteConfig`, but not `acmeConfig`. */
export function isGenericName(name: string): boolean {
  if (isCommon(name)) return true
  return splitParts(name).every((part) => part.length < MIN_PART || isCommon(part) || isOrdinary('text', part))
}

/** Whether all parts of a name are words of texts: `main-menu`, but not `jquery`, which is a word of code. */
export function isOrdinaryText(name: string): boolean {
  return splitParts(name).every((part) => part.length < MIN_PART || isOrdinary('text', part))
}
