const MIB = 2 ** 20
/** Characters of each page: the maximum that a scan analyses. */
const SIZE = 4 * MIB

const LD = '<script type=application/ld+json>'

/** Repeats a part until the page is full. */
const fill = (open: string, part: string, close = ''): string =>
  open + part.repeat(Math.floor((SIZE - open.length - close.length) / part.length)) + close

/** Fills the page with different parts. */
function fillWith(open: string, make: (i: number) => string): string {
  let page = open
  for (let i = 0; page.length < SIZE; i++) page += make(i)
  return page
}

/** Nests 500 elements around one text. */
const nest = (tag: string, text: string): string => fill('', `<${tag}>`.repeat(500) + text + `</${tag}>`.repeat(500))

const LONG_TEXT = 'lorem ipsum '.repeat(5400)

/**
 * Pages that are expensive to match. Without limits, each takes between half a second and minutes of a worker, or more memory
 * than it has. Compressed with gzip, most have a few kilobytes.
 */
export const EXPENSIVE_PAGES: readonly (readonly [name: string, make: () => string])[] = [
  ['JSON-LD of 2 M brackets', () => `${LD}${'['.repeat(2 * MIB)}${']'.repeat(2 * MIB - 60)}</script>`],
  ['JSON-LD that is never closed', () => fill(LD, '[')],
  ['JSON-LD of 340,000 nodes', () => fill(`${LD}{"@type":"Product","offers":[`, '{"price":1},', '1]}</script>')],
  ['100,000 blocks of broken JSON-LD', () => fill('', `${LD}{"a":</script>`)],
  ['1 M links', () => fill('', '<a>')],
  ['different links', () => fillWith('', (i) => `<a href=/${i}>`)],
  ['different hosts', () => fillWith('', (i) => `<img src=//ü${i}.co>`)],
  ['hosts of 120 labels', () => fillWith('', (i) => `<img src="//${'a.'.repeat(120)}c${i}.com">`)],
  ['broken URLs', () => fillWith('', (i) => `<img src=//[${i}>`)],
  ['a base of 60 kB', () => fillWith(`<base href="/${'a/'.repeat(30_000)}">`, (i) => `<a href=${i}>`)],
  ['a srcset of 400,000 URLs', () => fillWith('<img srcset="', (i) => `${i} 1w,`)],
  ['a style sheet of 700,000 URLs', () => fill('<style>', 'url(a)')],
  ['520,000 unknown tags', () => fillWith('', (i) => `<x${i.toString(36)}>`)],
  ['tags that are never closed', () => fill('', '<p>')],
  ['4 M <', () => fill('', '<')],
  ['end tags without start tags', () => fill('<div>'.repeat(512), '</x>')],
  ['tags closed in the wrong order', () => fill('<div>'.repeat(512), '<i></b>')],
  ['style sheets in style sheets', () => fill('<svg>', '<style>url(a)')],
  ['scripts in scripts', () => fill('<svg>', '<script>x')],
  ['500 footers around a text', () => nest('footer', LONG_TEXT)],
  ['500 centers around a version', () => nest('center', `nginx/${'1.'.repeat(30_000)}`)],
  ['one class attribute', () => fill('<p class="', 'elementor wp-block-image w-nav shopify-section wf-loading ')],
  ['many attributes', () => fill('', `<p ${'a b c d e f g h i j '.repeat(20)}>`)],
  ['many comments', () => fill('', '<!-- wp -->')],
  ['many inline scripts', () => fill('', '<script>x</script>')],
  ['many generators', () => fill('', '<meta name=generator property=generator itemprop=generator content=WordPress>')],
  ['a version of 4 MB', () => fill('<meta name=generator content="WordPress 1', '.1', '">')],
  ['a generator of many lines', () => fill('<meta name=generator content="WordPress 1.1\n', 'x\n', '">')],
  ['entities', () => fill('', '&CounterClockwiseContourIntegral;')],
  ['emoji', () => fill('', '😀 ')],
  ['letters that need a dictionary of words', () => fill('', 'א"א ')],
  ['text of short lines', () => fill('', 'x\n')],
]
