import type { NoteReason } from '../../../src/authoring/import/import-notes.ts'
import type { PageInput } from '../../../src/engine/page/page.ts'

/** A made fingerprint, a page on which its rule fires, a near miss, and the reasons of what is not carried over. */
export interface MadeFingerprint {
  readonly name: string
  readonly shape: string
  readonly data: Readonly<Record<string, unknown>>
  readonly hit: PageInput
  readonly miss: PageInput
  readonly version?: string
  readonly notes: readonly NoteReason[]
}

/** What a shape makes of the name of a product, which has only lower-case letters. */
type Shape = (word: string) => Omit<MadeFingerprint, 'name' | 'shape'>

const html = (body: string, more: PageInput = {}): PageInput => ({
  url: 'https://shop.example/',
  status: 200,
  headers: {},
  html: `<!doctype html><html><head><title>Shop</title></head><body><p>Tea and cups.</p>${body}</body></html>`,
  ...more,
})
const headers = (given: Readonly<Record<string, string>>): PageInput => html('', { headers: given })
const script = (src: string): string => `<script src="${src}"></script>`

/** Each of the shapes uses other keys, tags or forms of the format. */
const SHAPES: Readonly<Record<string, Shape>> = {
  'header with a version': (word) => ({
    data: { cats: [22], headers: { Server: `${word}(?:/([\\d.]+))?\\;version:\\1` } },
    hit: headers({ server: `${word}/2.4` }),
    miss: headers({ server: 'teahouse/2.4' }),
    version: '2.4',
    notes: [],
  }),
  'header that exists': (word) => ({
    data: { cats: [22], headers: { [`X-${word}-Id`]: '' } },
    hit: headers({ [`x-${word}-id`]: '7' }),
    miss: headers({ [`x-${word}`]: '7' }),
    notes: [],
  }),
  cookie: (word) => ({
    data: { cats: [6], cookies: { [`${word}_sid`]: '', [`${word}_cart`]: '^[a-f\\d]{8}$' } },
    hit: headers({ 'set-cookie': `${word}_cart=0123abcd; path=/` }),
    miss: headers({ 'set-cookie': `${word}_cart=none; path=/` }),
    notes: [],
  }),
  meta: (word) => ({
    data: { cats: [1, 11], meta: { generator: `^${word} v?([\\d.]+)\\;version:\\1` } },
    hit: html(`<meta name="generator" content="${word} v7.1">`),
    miss: html(`<meta name="generator" content="like ${word} 7.1">`),
    version: '7.1',
    notes: ['category'],
  }),
  'scriptSrc of a host': (word) => ({
    data: { cats: [10], scriptSrc: `//cdn\\.${word}\\.example\\.com/` },
    hit: html(script(`https://cdn.${word}.example.com/a.js`)),
    miss: html(script(`https://cdn.${word}.example.org/a.js`)),
    notes: [],
  }),
  'scriptSrc of a subdomain': (word) => ({
    data: { cats: [10], scriptSrc: [`\\.${word}\\.example\\.com`] },
    hit: html(script(`https://eu.${word}.example.com/a.js`)),
    miss: html(script(`https://example.com/${word}.js`)),
    notes: [],
  }),
  'scriptSrc with a version': (word) => ({
    data: { cats: [59], scriptSrc: `${word}(?:\\.min)?\\.js(?:\\?ver=([\\d.]+))?\\;version:\\1` },
    hit: html(script(`/js/${word}.min.js?ver=3.2`)),
    miss: html(script(`/js/${word}.css`)),
    version: '3.2',
    notes: [],
  }),
  'scriptSrc that begins with a version': (word) => ({
    data: { cats: [59], scriptSrc: `([\\d.]+)?/${word}\\.min\\.js\\;version:\\1` },
    hit: html(script(`/lib/5.0.1/${word}.min.js`)),
    miss: html(script(`/lib/5.0.1/${word}.js`)),
    version: '5.0.1',
    notes: [],
  }),
  'scriptSrc that has to be cut': (word) => ({
    data: { cats: [59], scriptSrc: `${word}.*\\.js` },
    hit: html(script(`/js/${word}-abc.js`)),
    miss: html(script(`/js/${word}-abc.mjx`)),
    notes: ['cut-pattern'],
  }),
  scripts: (word) => ({
    data: { cats: [42], scripts: `window\\.${word}Queue\\s?=` },
    hit: html(`<script>window.${word}Queue = []</script>`),
    miss: html(`<script>window.${word}Queues = []</script>`),
    notes: [],
  }),
  'scripts of the site': (word) => ({
    data: { cats: [42], scripts: `${word}Loader\\(` },
    hit: html('', { scripts: [{ url: 'https://shop.example/a.js', text: `;${word}Loader(1);` }] }),
    miss: html('', { scripts: [{ url: 'https://shop.example/a.js', text: `"${word}Loader";` }] }),
    notes: [],
  }),
  'html as text': (word) => ({
    data: { cats: [1], html: `Powered by <b>${word}</b>(?: ([\\d.]+))?\\;version:\\1` },
    hit: html(`<p>Powered by <b>${word}</b> 4.2</p>`),
    miss: html(`<p>Powered by ${word}</p>`),
    version: '4.2',
    notes: [],
  }),
  'html as an attribute': (word) => ({
    data: { cats: [80], html: [`<link[^>]+href="[^"]+/${word}/theme\\.css`] },
    hit: html(`<link rel="stylesheet" href="/x/${word}/theme.css">`),
    miss: html(`<p>&lt;link href="/x/${word}/theme.css"&gt;</p>`),
    notes: [],
  }),
  'html as a comment': (word) => ({
    data: { cats: [54], html: `<!-- This page runs ${word} ([\\d.]+)\\;version:\\1` },
    hit: html(`<!-- This page runs ${word} 1.9 -->`),
    miss: html(`<p>This page runs ${word} 1.9</p>`),
    version: '1.9',
    notes: [],
  }),
  'html as a title': (word) => ({
    data: { cats: [47], html: `<title>${word} console</title>` },
    hit: { ...html(''), html: `<!doctype html><title>${word} console</title><p>Tea</p>` },
    miss: { ...html(''), html: `<!doctype html><title>About</title><p>${word} console</p>` },
    notes: [],
  }),
  'html as an element': (word) => ({
    data: { cats: [25], html: `<${word}-scene[^<>]*>` },
    hit: html(`<${word}-scene mode="3"></${word}-scene>`),
    miss: html(`<p>${word}-scene</p>`),
    notes: [],
  }),
  'html with tags that may run on': (word) => ({
    data: { cats: [5], html: `<(?:div|section)[^>]* data-${word}=` },
    hit: html(`<section id="a" data-${word}="1"></section>`),
    miss: html(`<p>data-${word}=1</p>`),
    notes: ['cut-pattern'],
  }),
  text: (word) => ({
    data: { cats: [99], text: [`\\bShipped with ${word}\\b`] },
    hit: html(`<p>Shipped with ${word}.</p>`),
    miss: html(`<p>Shipped with ${word}s.</p>`),
    notes: [],
  }),
  css: (word) => ({
    data: { cats: [66], css: `\\.${word}-grid\\{` },
    hit: html(`<style>.${word}-grid{color:red}</style>`),
    miss: html(`<style>.${word}-grids{color:red}</style>`),
    notes: [],
  }),
  'url of a host': (word) => ({
    data: { cats: [88], url: `\\.${word}\\.example\\.com` },
    hit: html('', { url: `https://tea.${word}.example.com/` }),
    miss: html('', { url: `https://${word}.example.org/` }),
    notes: [],
  }),
  'url with a pattern': (word) => ({
    data: { cats: [8], url: `/${word}/(?:view|edit)\\.cgi` },
    hit: html('', { url: `https://shop.example/${word}/edit.cgi` }),
    miss: html('', { url: `https://shop.example/${word}/list.cgi` }),
    notes: [],
  }),
  'dom as a selector': (word) => ({
    data: { cats: [51], dom: `div.${word}-row > span` },
    hit: html(`<div class="${word}-row"><span>a</span></div>`),
    miss: html(`<div class="${word}-row"><b>a</b></div>`),
    notes: [],
  }),
  'dom as a list': (word) => ({
    data: { cats: [51], dom: [`#${word}-root`, `a[href*=${word}.example]`, `p:has(.${word})`] },
    hit: html(`<a href="https://${word}.example/x">x</a>`),
    miss: html(`<p class="${word}-root">x</p>`),
    notes: ['bad-selector'],
  }),
  'dom with attributes': (word) => ({
    data: { cats: [51], dom: { link: { attributes: { href: `/${word}/([\\d.]+)/main\\.css\\;version:\\1` } } } },
    hit: html(`<link rel="stylesheet" href="/${word}/8.3/main.css">`),
    miss: html(`<a href="/${word}/8.3/main.css">x</a>`),
    version: '8.3',
    notes: [],
  }),
  'dom with text and exists': (word) => ({
    data: { cats: [51], dom: { footer: { text: `Made by ${word}` }, [`hr.${word}`]: { exists: '' } } },
    hit: html(`<footer>Made by ${word}</footer>`),
    miss: html(`<p>Made by ${word}</p>`),
    notes: [],
  }),
  'dom with properties': (word) => ({
    data: { cats: [12], dom: { [`#${word}`]: { exists: '', properties: { _root: '' } } } },
    hit: html(`<div id="${word}"></div>`),
    miss: html(`<div class="${word}"></div>`),
    notes: ['no-place-property'],
  }),
  dns: (word) => ({
    data: { cats: [75], dns: { TXT: [`${word}-site-verification`], MX: `mx\\d?\\.${word}\\.example`, CAA: word } },
    hit: html('', { dns: { txt: [`${word}-site-verification=9`] } }),
    miss: html('', { dns: { txt: [`${word}=9`] } }),
    notes: ['dns-type'],
  }),
  'certIssuer and robots': (word) => ({
    data: { cats: [70], certIssuer: `${word} trust`, robots: `# Written by ${word}` },
    hit: html('', { robots: `# Written by ${word}\nUser-agent: *` }),
    miss: html('', { robots: `# ${word}` }),
    notes: [],
  }),
  'what no place sees': (word) => ({
    data: {
      cats: [12],
      js: { [`${word}.version`]: '^(.+)$\\;version:\\1' },
      probe: { [`/${word}`]: '' },
      xhr: word,
      html: `data-of-${word}`,
    },
    hit: html(`<p data-of-${word}>a</p>`),
    miss: html(`<script>${word}.version = 1</script>`),
    notes: ['no-place-global', 'no-place-probe', 'no-place-request'],
  }),
  'a choice of versions': (word) => ({
    data: { cats: [10], scripts: `${word}\\((new)?Api\\;version:\\1?2:1` },
    hit: html(`<script>${word}(newApi)</script>`),
    miss: html(`<script>${word}(old)</script>`),
    version: '2',
    notes: [],
  }),
  'several groups of a version': (word) => ({
    data: { cats: [10], meta: { [`${word}-build`]: '^(\\d+)_(\\d+)$\\;version:\\1.\\2' } },
    hit: html(`<meta name="${word}-build" content="3_14">`),
    miss: html(`<meta name="${word}-build" content="next">`),
    version: '3.14',
    notes: [],
  }),
  'a fixed version': (word) => ({
    data: { cats: [10], html: `class="${word}-six"\\;version:6` },
    hit: html(`<p class="${word}-six">a</p>`),
    miss: html(`<p class="${word}-five">a</p>`),
    version: '6',
    notes: [],
  }),
  'half a confidence': (word) => ({
    data: { cats: [77], html: `${word}-pixel\\;confidence:50` },
    hit: html(`<i id="${word}-pixel"></i>`),
    miss: html(`<i id="${word}"></i>`),
    notes: [],
  }),
  'low confidences that add up': (word) => ({
    data: { cats: [77], html: [`${word}-left\\;confidence:25`, `${word}-right\\;confidence:25`] },
    hit: html(`<i id="${word}-left"></i><i id="${word}-right"></i>`),
    miss: html(`<i id="${word}-left"></i>`),
    notes: ['weak-pattern', 'weak-pattern'],
  }),
  'implies with a confidence': (word) => ({
    data: { cats: [1], implies: ['Base System\\;confidence:50', 'Nowhere'], html: `built-on-${word}` },
    hit: html(`<p id="built-on-${word}">a</p>`),
    miss: html(`<p>built on ${word}</p>`),
    notes: ['implied', 'unknown-name'],
  }),
  requires: (word) => ({
    data: { cats: [87], requires: 'Base System', html: `addon-${word}` },
    hit: html(`<p id="addon-${word}">a</p>`, { headers: { 'x-base-system': '1' } }),
    miss: html(`<p id="addon-${word}">a</p>`),
    notes: [],
  }),
  requiresCategory: (word) => ({
    data: { cats: [99], requiresCategory: [41], text: `Parcel by ${word}` },
    hit: html(`<p>Parcel by ${word}</p>`, { headers: { 'x-base-payment': '1' } }),
    miss: html(`<p>Parcel by ${word}</p>`),
    notes: [],
  }),
  'excludes, and keys for readers': (word) => ({
    data: {
      cats: [700],
      excludes: ['Base Rival'],
      icon: 'a.svg',
      cpe: 'x',
      saas: true,
      oss: false,
      pricing: ['low'],
      html: `alone-${word}`,
    },
    hit: html(`<p id="alone-${word}">a</p>`),
    miss: html(`<p>alone ${word}</p>`),
    notes: ['not-used', 'not-used', 'not-used', 'not-used', 'not-used'],
  }),
  'the whole value': (word) => ({
    data: { cats: [27], headers: { 'X-Powered-By': `^${word}$` }, description: `A  language\n called ${word}.` },
    hit: headers({ 'x-powered-by': word }),
    miss: headers({ 'x-powered-by': `${word}ish` }),
    notes: [],
  }),
  'alternatives of which some have to be cut': (word) => ({
    data: { cats: [5], html: `(?:<i[^>]+ data-${word}-box=|Widget by ${word})` },
    hit: html(`<p>Widget by ${word}</p>`),
    miss: html(`<p>Widgets by ${word}</p>`),
    notes: ['cut-pattern'],
  }),
  'what the format does not define': (word) => ({
    data: { cats: [], website: 'none', phase: 'moon', html: [`shape-${word}\\;shape:round`, `broken-(${word}`, 7] },
    hit: html(`<p id="shape-${word}">a</p>`),
    miss: html(`<p>shape ${word}</p>`),
    notes: ['unknown-key', 'unknown-tag', 'bad-pattern', 'no-literal', 'bad-website'],
  }),
}

/** Fingerprints that others refer to. */
const BASE: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  'Base System': { cats: [18], website: 'https://base-system.example', headers: { 'X-Base-System': '' } },
  'Base Rival': { cats: [18], website: 'https://base-rival.example', headers: { 'X-Base-Rival': '' } },
  'Base Payment': { cats: [41], website: 'https://base-payment.example', headers: { 'X-Base-Payment': '' } },
}

const FIRST = ['zor', 'quil', 'brim', 'vex', 'tamb']
const SECOND =
  'aldo ento ivar okka umba anzi ergo imlo orra ulti azzo elko ixta onda urgo abra ekka izmo ospa unko'.split(' ')

/** Two hundred fingerprints of made-up products. */
export const madeSet: readonly MadeFingerprint[] = Object.entries(SHAPES)
  .flatMap(([shape, make], i) =>
    FIRST.map((first, j) => ({ shape, make, word: `${first}${SECOND[i % 20]}${'x'.repeat(Math.floor(i / 20))}`, j })),
  )
  .map(({ shape, make, word }) => {
    const made = make(word)
    const website = made.data.website ?? `https://${word}.example`
    return { name: word[0].toUpperCase() + word.slice(1), shape, ...made, data: { website, ...made.data } }
  })

/** The set as the files of a folder: fingerprints by name, and the names of categories. */
export const madeFiles: readonly unknown[] = [
  { ...BASE, ...Object.fromEntries(madeSet.map(({ name, data }) => [name, data])) },
  { categories: { 22: { name: 'Servers' }, 700: { name: 'Garden tools' } } },
]
