import type { Detector } from '../src/engine/page/detector.ts'
import type { Tape, UrlUse } from '../src/engine/page/page-types.ts'

/** Minimum length of a paragraph in characters. Shorter `p` elements are captions, teasers and remarks. */
const MIN_PARAGRAPH_CHARACTERS = 120

export const size: Detector = {
  key: 'size',
  about:
    'The amount, which itself is the hit: words or characters of the visible text, paragraphs with 120 characters or more, links, links to other sites (`outlinks`), words of the last segment of the path (`slug`), digits of the path (`digits`)',
  family: 'content',
  word: 'name',
  names: ['words', 'characters', 'links', 'outlinks', 'paragraphs', 'slug', 'digits'],
  isAmount: true,
  wordOfPageWords: 'words',
  seen: ({ url }, word) => url !== null || (word !== 'slug' && word !== 'digits'),
  *read({ text, words, tape, url, urls }, wanted) {
    const counts = wanted.has('links') || wanted.has('paragraphs') ? countElements(tape) : {}
    const outlinks = wanted.has('outlinks') ? { outlinks: countOutlinks(urls) } : {}
    const path = url !== null && (wanted.has('slug') || wanted.has('digits')) ? countPath(url.path) : {}
    for (const [name, amount] of Object.entries({ words, characters: text.length, ...counts, ...outlinks, ...path }))
      yield { name, text: String(amount), amount }
  },
}

/** Counts links to other sites. */
function countOutlinks(urls: readonly UrlUse[]): number {
  let count = 0
  for (const { kind, url } of urls) if (kind === 'anchor' && url.own === false) count++
  return count
}

/** Counts the words of the last segment of a path, which hyphens or underscores separate, and the digits of the path. */
function countPath(path: string): { slug: number; digits: number } {
  const last = path.slice(path.lastIndexOf('/', path.length - 2) + 1)
  return {
    slug: last.split(/[-_/]/).filter((word) => word !== '').length,
    digits: path.replace(/[^0-9]+/g, '').length,
  }
}

function countElements({ tags, texts, textFrom, textTo }: Tape): { links: number; paragraphs: number } {
  let [links, paragraphs] = [0, 0]
  for (let at = 0; at < tags.length; at++) {
    if (tags[at] === 'a') links++
    if (tags[at] !== 'p') continue
    let characters = 0
    for (let part = textFrom[at]; part < textTo[at] && characters < MIN_PARAGRAPH_CHARACTERS; part++)
      characters += texts[part].length
    if (characters >= MIN_PARAGRAPH_CHARACTERS) paragraphs++
  }
  return { links, paragraphs }
}
