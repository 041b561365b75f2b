import { parse } from 'tldts'
import type { PageInput } from '../../engine/page/page.ts'
import type { ClauseSource } from '../../engine/rule/types.ts'

/** A feature of a page that may be typical of the product it was made with. */
export interface Trait {
  /** A clause that finds it, without a weight. */
  readonly clause: ClauseSource
  /** The name by which its rarity is measured. */
  readonly name: string
  /** A part of a page that shows it and contains nothing else of the scanned page. */
  readonly shown: PagePart
  /** Whether several names or comments of the page share it, so that it is hardly about one part of one site. */
  readonly isShared?: boolean
}

/** A part of a test page. */
export interface PagePart {
  readonly head?: string
  readonly body?: string
  readonly header?: readonly [name: string, value: string]
  readonly dns?: PageInput['dns']
  readonly url?: string
}

/** Decides which words of a page may be written into a rule. */
export interface WordFilter {
  /** Whether a text contains the name of the product. */
  isOfVendor(text: string): boolean
  /** Whether a text is the name of the product and nothing else. */
  isProduct(text: string): boolean
  /** Whether a name in code contains neither text that readers of the page see, nor an identifier. */
  isName(text: string): boolean
  /** Whether every word of a text is known from tests of rules, or contains the name of the product. */
  isKnown(text: string): boolean
}

/** Finds the registrable domain of a host; null for an address, and for a host without a public suffix. */
export function findDomain(host: string): string | null {
  const { domain, isIcann } = parse(host.replace(/\.$/, ''))
  return isIcann ? domain : null
}
