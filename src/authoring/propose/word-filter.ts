import { getPublicSuffix } from 'tldts'
import { readAttribute } from '../../engine/page/element.ts'
import type { Page } from '../../engine/page/page-types.ts'
import type { WordFilter } from './trait.ts'
import { splitWords, type Vocabulary } from './vocabulary.ts'

/** Attributes whose values readers see, or that name people, companies and pages. */
const TEXT_ATTRIBUTES = ['alt', 'title', 'aria-label', 'placeholder', 'value', 'content', 'action', 'label']
/** A shorter word is part of many others. */
const MIN_WORD_LENGTH = 3
/** Words of a slug from this length on name the product alone. */
const MIN_VENDOR_LENGTH = 4
/** A word that this many test files contain is an ordinary one, whatever the page uses it for. */
const ORDINARY_FILES = 5
/** Digits in a row, or hexadecimal digits, that make a name an identifier of one site, page or build. */
const IDENTIFIER = /[0-9]{3}|[0-9a-f]{8}|[0-9][a-z]{1,3}[0-9]/i

/**
 * Builds the filter that keeps the texts of a page out of a rule.
 * @param slug the slug of the rule, which names the product
 * @param products other names of it, such as that of the generator
 */
export function buildWordFilter(
  page: Page,
  { slug, products, vocabulary }: { slug: string; products: readonly string[]; vocabulary: Vocabulary },
): WordFilter {
  const parts = [slug, ...products].flatMap((name) => [name.replace(/[^a-z0-9]/gi, ''), ...splitWords(name)])
  const vendors = [...new Set(parts.map((part) => part.toLowerCase()))].filter(
    (part) => part.length >= MIN_VENDOR_LENGTH || part === slug,
  )
  const foreign = readForeignWords(page)
  const isOfVendor = (text: string): boolean => {
    const squeezed = text.toLowerCase().replace(/[^a-z0-9]/g, '')
    return vendors.some((vendor) => squeezed.includes(vendor))
  }
  const isOrdinary = (word: string): boolean => vocabulary.count(word) >= ORDINARY_FILES
  const isForeign = (word: string): boolean => foreign.has(word) && !isOrdinary(word) && !isOfVendor(word)
  return {
    isOfVendor,
    isProduct: (text) => vendors.includes(text.toLowerCase().replace(/[^a-z0-9]/g, '')),
    isName: (text) =>
      /^[\x21-\x7e]+$/.test(text) &&
      !IDENTIFIER.test(text) &&
      !isForeign(text.toLowerCase().replace(/[^a-z0-9]/g, '')) &&
      !splitWords(text).some(isForeign),
    isKnown: (text) =>
      /^[\x20-\x7e]+$/.test(text) &&
      !IDENTIFIER.test(text) &&
      (text.match(/[a-z0-9]+/gi) ?? []).every((run) => isKnownRun(run, { isOfVendor, isForeign, vocabulary })),
  }
}

interface RunTests {
  readonly isOfVendor: (text: string) => boolean
  readonly isForeign: (word: string) => boolean
  readonly vocabulary: Vocabulary
}

function isKnownRun(run: string, { isOfVendor, isForeign, vocabulary }: RunTests): boolean {
  if (isForeign(run.toLowerCase())) return false
  if (run.length <= MIN_WORD_LENGTH || isOfVendor(run) || vocabulary.count(run) > 0) return true
  // Short parts of a longer run, such as those of `qk3Nw`, are an identifier, except up to two digits: `cdn2`.
  const words = splitWords(run).filter((word) => !/^[0-9]{1,2}$/.test(word))
  return words.every((word) => word.length >= MIN_WORD_LENGTH && vocabulary.count(word) > 0 && !isForeign(word))
}

/** Reads the words of a page that are about its owner: text, title, descriptions, links, and its own host. */
function readForeignWords({ text, title, tape, url, base, jsonld, urls }: Page): ReadonlySet<string> {
  const texts = [text, title ?? '', JSON.stringify(jsonld)]
  for (const { kind, url } of urls) if (kind === 'anchor') texts.push(url.href)
  for (let at = 0; at < tape.tags.length; at++)
    for (const name of TEXT_ATTRIBUTES) texts.push(readAttribute(tape, at, name) ?? '')
  const hosts = [url?.host, base.pageHost].filter((host) => typeof host === 'string')
  for (const host of hosts) texts.push(host.slice(0, -(getPublicSuffix(host)?.length ?? 0) || undefined))
  texts.push(url?.path ?? '')
  const words = texts.flatMap((one) => [...splitWords(one), ...(one.toLowerCase().match(/[a-z0-9]+/g) ?? [])])
  return new Set(words.filter((word) => word.length >= MIN_WORD_LENGTH))
}
