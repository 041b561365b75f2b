import { toList } from '../engine/rule/clause.ts'
import type { RuleSource } from '../engine/rule/types.ts'
import { squeeze } from '../engine/text/text.ts'

/** What a rule is called, in lower case: its slug and name, and the parts of the addresses of its website and sources. */
export interface OwnNames {
  readonly parts: ReadonlySet<string>
  readonly squeezed: readonly string[]
}

/** Minimum number of letters and digits that the name of a file shares with a name of its rule. */
const MIN_SHARED = 4
const FILE = /\.(?:m?js|cjs|css)$/i
const PACKAGE_FILE = /\.(?:json|git|html?)$/

/** Lists the names that a rule states besides its clauses. */
export function listNames({ name, slug, website, source }: RuleSource): OwnNames {
  const addresses = [website ?? '', ...toList<string>(source)].map((url) => decode(url).toLowerCase())
  const parts = addresses.flatMap((url) => url.split(/[/?#=&:,]+/)).map((part) => part.replace(PACKAGE_FILE, ''))
  const scoped = addresses.flatMap((url) => url.match(/@[^@/?#]+\/[^@/?#]+/g) ?? [])
  return {
    parts: new Set([slug, name.toLowerCase(), ...parts, ...scoped].filter((part) => part !== '')),
    squeezed: [slug, name, ...addresses, slug.replace(/-(?:js|css)$/, '')].map(squeeze),
  }
}

/**
 * Whether a word is a name that its rule states elsewhere: for a package or an extension exactly, as a part of an address
 * (`npmjs.com/package/swiper`, `wordpress.org/plugins/akismet/`); for a file as a part, because packages have several. The name of a
 * package may look like that of a file (`countup.js`).
 */
export function repeatsName(word: string, isFile: boolean, { parts, squeezed }: OwnNames): boolean {
  const lower = word.toLowerCase()
  if (isFile) {
    const stem = squeeze(lower.replace(FILE, '').replace(/^jquery[.-]/, ''))
    return squeezed.some((name) => share(name, stem))
  }
  return parts.has(lower) || (!lower.startsWith('@') && parts.has(lower.slice(lower.lastIndexOf('/') + 1)))
}

function share(name: string, stem: string): boolean {
  return (
    (stem.length >= MIN_SHARED && name.includes(stem)) ||
    (name.length >= MIN_SHARED && stem.includes(name)) ||
    name === stem
  )
}

function decode(url: string): string {
  try {
    return decodeURIComponent(url)
  } catch {
    return url
  }
}
