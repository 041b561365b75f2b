/** Names of places and trades, of which pages of tests are made: none is the name of a product. */
const PLACES = ['Heron Quay', 'Alder Bank', 'Mill Lane', 'Stony Ford', 'Lower Green', 'Harbour Steps', 'Thistle Row']
const TRADES: readonly (readonly [name: string, sentence: string, second: string])[] = [
  ['Pottery', 'Bowls and jugs are thrown on Mondays.', 'The kiln is fired on the first weekend of the month.'],
  ['Bakery', 'The oven is lit at four in the morning.', 'Rye bread is baked on Tuesdays and Fridays.'],
  ['Joinery', 'Each table takes about six weeks.', 'The workshop smells of linseed oil.'],
  ['Choir', 'Rehearsals begin after the harvest.', 'New voices are welcome, above all low ones.'],
  ['Allotments', 'The seed swap is in March.', 'The water is turned off for the winter.'],
  ['Books', 'Three rooms of second-hand novels.', 'The shop is open from Wednesday to Saturday.'],
  ['Print Room', 'Paper is cut on Thursdays.', 'Members have a key.'],
  ['Orchard', 'The old trees bear every other year.', 'Visitors may pick what lies in the grass.'],
]
/** Tags that belong in the head of a document. */
const HEAD_TAGS = /^<(?:title|meta|link|base|style|script)\b/i
/** What only a whole document has. */
const DOCUMENT = /^\s*(?:<\?xml|<!doctype|<html|<head|<body)/i

/** Whether the HTML of a test is a part of a page, not a document. */
export function isFragment(html: string): boolean {
  return !DOCUMENT.test(html)
}

/**
 * Puts a part of a page into an ordinary one, with a head, a navigation, some text and a footer. Lines of the part that belong in a
 * head are put there, up to the first line that does not.
 * @param seed chooses the page: the same seed gives the same one
 */
export function wrapFragment(fragment: string, seed: string): string {
  const lines = fragment.trimEnd().split('\n')
  const length = countHeadLines(lines)
  const number = hash(seed)
  const [trade, sentence, second] = TRADES[number % TRADES.length]
  const name = `${PLACES[(number >> 4) % PLACES.length]} ${trade}`
  const head = lines.slice(0, length)
  return [
    '<!doctype html>',
    '<html lang="en">',
    '<head>',
    '<meta charset="utf-8">',
    ...(/<title\b/i.test(fragment) ? [] : [`<title>${name}</title>`]),
    ...head,
    '</head>',
    '<body>',
    '<nav><a href="/">Home</a> <a href="/visit">Visit</a></nav>',
    '<main>',
    `<h1>${name}</h1>`,
    `<p>${sentence}</p>`,
    ...lines.slice(length),
    `<p>${second}</p>`,
    '</main>',
    `<footer><p>${name}, by the river since 1987</p></footer>`,
    '</body>',
    '</html>',
    '',
  ].join('\n')
}

/** Counts the lines that begin with a tag of a head. A tag that goes on in the next lines belongs in the body. */
function countHeadLines(lines: readonly string[]): number {
  const index = lines.findIndex((line) => !(HEAD_TAGS.test(line) && />\s*$/.test(line) && isClosed(line)))
  return index < 0 ? lines.length : index
}

/** Whether the first tag of a line, if it has content, ends in the same line. */
function isClosed(line: string): boolean {
  const [, tag] = /^<(title|style|script)\b/i.exec(line) ?? []
  return tag === undefined || line.toLowerCase().includes(`</${tag.toLowerCase()}>`)
}

/** A number that depends on each character of a text (FNV-1a, 32 bits). */
function hash(text: string): number {
  let value = 0x811c9dc5
  for (const character of text) value = Math.imul(value ^ (character.codePointAt(0) ?? 0), 0x01000193)
  return value >>> 0
}

/** Escapes text for an element or a quoted attribute. */
export function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
}
