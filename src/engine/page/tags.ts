import { NameTable } from '../text/name-table.ts'

/** Properties of a tag in HTML, as far as the tape builder needs them. */
export interface TagInfo {
  /** Lower case. */
  readonly name: string
  /** A block or line break, which separates words. */
  readonly isBlock: boolean
  /** Its text is not visible. */
  readonly isHidden: boolean
  /** It never has an end tag. */
  readonly isVoid: boolean
  /** Its content is text without markup. */
  readonly isRaw: boolean
  /** Its content has neither markup nor entities. */
  readonly isLiteral: boolean
  /** Browsers with scripting enabled ignore its content. */
  readonly isInert: boolean
  /** It can occur in a head without ending it. */
  readonly isHead: boolean
  /** SVG or MathML, in which `/>` closes an element. */
  readonly isForeign: boolean
  /** Elements that it ends if they are the innermost open one (HTML standard, optional end tags). */
  readonly closes: ReadonlySet<string> | null
}

const words = (text: string): ReadonlySet<string> => new Set(text.split(' '))

const BLOCK = words(
  'address article aside blockquote body br button center dd details dialog dir div dl dt fieldset figcaption figure footer form frameset h1 h2 h3 h4 h5 h6 header hgroup hr html input legend li main menu nav ol optgroup option p pre search section select summary table tbody td textarea tfoot th thead title tr ul',
)
const HIDDEN = words('script style template noscript title')
/**
 * Elements whose content browsers with scripting enabled ignore. The frame of a tag manager in `<noscript>` still names its container.
 */
export const INERT = words('noscript template')
const VOID = words(
  'area base basefont bgsound br col command embed frame hr img input isindex keygen link meta param source track wbr',
)
const RAW = words('script style title textarea iframe noembed noframes xmp plaintext')
const DECODED = words('title textarea')
const HEAD = words('html head base basefont bgsound link meta title noscript noframes style script template')
export const FOREIGN = words('svg math')
const OTHERS = words(
  'a abbr b em i img label path rp rt small span strong sub sup svg g time u video audio canvas picture figure colgroup',
)

const PARAGRAPH = words('p')
const CELLS = 'td th'
const CLOSES: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ...'address article aside blockquote details div dl fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hgroup hr main menu nav ol p pre search section table ul'
    .split(' ')
    .map((tag) => [tag, PARAGRAPH] as const),
  ['li', words('li p')],
  ['dd', words('dd dt p')],
  ['dt', words('dd dt p')],
  ['td', words(`${CELLS} p`)],
  ['th', words(`${CELLS} p`)],
  ['tr', words(`tr ${CELLS} p`)],
  ['tbody', words(`tbody thead tfoot tr ${CELLS} p`)],
  ['tfoot', words(`tbody thead tr ${CELLS} p`)],
  ['thead', words(`tbody tfoot tr ${CELLS} p`)],
  ['option', words('option')],
  ['optgroup', words('optgroup option')],
  ['rt', words('rt rp')],
  ['rp', words('rt rp')],
  ['a', words('a')],
  ['body', words('head')],
])

function buildTagInfo(name: string): TagInfo {
  return {
    name,
    isBlock: BLOCK.has(name),
    isHidden: HIDDEN.has(name),
    isVoid: VOID.has(name),
    isRaw: RAW.has(name),
    isLiteral: RAW.has(name) && !DECODED.has(name),
    isInert: INERT.has(name),
    isHead: HEAD.has(name),
    isForeign: FOREIGN.has(name),
    closes: CLOSES.get(name) ?? null,
  }
}

const KNOWN: ReadonlyMap<string, TagInfo> = new Map(
  [...BLOCK, ...HIDDEN, ...VOID, ...RAW, ...HEAD, ...FOREIGN, ...OTHERS, ...CLOSES.keys()].map((name) => [
    name,
    buildTagInfo(name),
  ]),
)

const TAGS = new NameTable((name) => KNOWN.get(name) ?? buildTagInfo(name))

/** Reads the tag whose name is at a position of a document. */
export function readTag(html: string, start: number, end: number): TagInfo {
  return TAGS.get(html, start, end)
}
