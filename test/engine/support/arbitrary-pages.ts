import fc from 'fast-check'
import type { PageInput } from '../../../src/engine/page/page.ts'
import { address, written } from './arbitrary-urls.ts'

// A few overlapping words, so that generated rules often hit generated pages.
const WORDS = [
  'abc',
  'bcd',
  'abcde',
  'b',
  'ABC',
  'aBcDe',
  'cde',
  'abc bcd',
  'wp-abc',
  'abc 1.2',
  'ab',
  'é',
  ' ',
  'zabc',
  'abc.',
]
const MARKUP = ['&#97;bc', 'ab&#x63;', '&amp;', 'a&amp;bc', 'abc&nbsp;bcd', '&lt;abc&gt;', '\n', 'b&#99;d']
const words = fc.constantFrom(...WORDS)
const text = fc.array(words, { maxLength: 4 }).map((parts) => parts.join(''))
const markup = fc.array(fc.oneof(words, fc.constantFrom(...MARKUP)), { maxLength: 4 }).map((parts) => parts.join(''))
const value = fc.oneof(
  text,
  written,
  fc.constantFrom('example.com', 'a.example.com.', '*.github.io', 'docs.x/abc', 'abc-bcd', '200'),
)

const srcset = fc
  .array(fc.tuple(written, fc.constantFrom('', ' 2x', ' 100w')), { maxLength: 2 })
  .map((all) => all.map((one) => one.join('')).join(', '))
const css = fc.tuple(text, written).map(([word, url]) => `.${word} { background: URL( '${url.trim()}' ) }`)
const attribute = fc.oneof(
  fc.tuple(
    fc.constantFrom('id', 'ID', 'data-abc', 'title', 'type', 'rel', 'name', 'property', 'itemprop'),
    fc.oneof(words, markup),
  ),
  fc.tuple(
    fc.constantFrom('class', 'Class'),
    fc.array(words, { maxLength: 3 }).map((tokens) => tokens.join(' ')),
  ),
  fc.tuple(fc.constantFrom('href', 'src', 'data-src', 'data', 'poster'), written),
  fc.tuple(fc.constantFrom('content'), value),
  fc.tuple(fc.constantFrom('srcset', 'imagesrcset'), srcset),
  fc.tuple(fc.constantFrom('style'), css),
)
const attributes = fc
  .array(attribute, { maxLength: 4 })
  .map((all) => all.map(([name, inner]) => ` ${name}="${inner}"`).join(''))

const type = fc.constantFrom('Abc', 'abc', 'Bcd', 'https://schema.org/Abc', 'schema:Bcd')
const jsonld = fc.letrec<{ node: unknown; value: unknown }>((tie) => ({
  node: fc.record(
    {
      '@type': fc.oneof(type, fc.array(type, { maxLength: 2 })),
      abc: fc.oneof({ maxDepth: 3, withCrossShrink: true }, value, fc.integer({ max: 3, min: 0 }), tie('value')),
      '@graph': fc.array(tie('node'), { maxLength: 2 }),
      name: text,
    },
    { requiredKeys: ['@type'] },
  ),
  value: fc.oneof(
    { maxDepth: 3 },
    fc.constant(null),
    tie('node'),
    fc.array(tie('node'), { maxLength: 2 }),
    fc.array(text, { maxLength: 2 }),
  ),
})).node

const leaves = [
  markup,
  markup.map((inner) => `<!-- ${inner.replaceAll('>', '')} -->`),
  fc
    .tuple(fc.constantFrom('', ' type="application/json"', ' src="/abc.js"'), text)
    .map(([more, inner]) => `<script${more}>${inner}</script>`),
  jsonld.map((data) => `<script type="application/ld+json">${JSON.stringify(data)}</script>`),
  css.map((inner) => `<style>${inner}</style>`),
  fc
    .tuple(
      fc.constantFrom('meta', 'META'),
      fc.constantFrom('name', 'property'),
      fc.constantFrom('abc', 'abcde', 'Generator'),
      value,
    )
    .map(([tag, key, name, content]) => `<${tag} ${key}=" ${name}" content="${content}">`),
  fc
    .tuple(fc.constantFrom('stylesheet', 'Icon abc', 'preload'), written)
    .map(([rel, href]) => `<link rel="${rel}" href="${href}">`),
  fc
    .tuple(fc.constantFrom('img', 'script', 'iframe', 'video', 'embed'), written)
    .map(([tag, src]) => `<${tag} src="${src}"></${tag}>`),
  fc
    .tuple(fc.constantFrom('title', 'noscript', 'template', 'textarea'), markup)
    .map(([tag, inner]) => `<${tag}>${inner}</${tag}>`),
  written.map((href) => `<a href="${href}">abc</a>`),
]
const body = fc.letrec<{ node: string; nodes: string }>((tie) => ({
  node: fc.oneof(
    { maxDepth: 5, depthSize: 'large' },
    { weight: 2, arbitrary: fc.oneof(...leaves) },
    {
      weight: 3,
      arbitrary: fc
        .tuple(fc.constantFrom('div', 'DIV', 'span', 'p', 'ul', 'section', 'form'), attributes, tie('nodes'))
        .map(([tag, inner, below]) => `<${tag}${inner}>${below}</${tag}>`),
    },
    {
      weight: 1,
      arbitrary: fc
        .tuple(fc.constantFrom('div', 'p', 'input', 'li'), attributes)
        .map(([tag, inner]) => `<${tag}${inner}>`),
    },
  ),
  nodes: fc.array(tie('node'), { minLength: 1, maxLength: 3 }).map((parts) => parts.join('')),
})).nodes
const base = fc.constantFrom(
  '',
  '',
  '',
  '<base href="/bcd/">',
  '<base href="https://cdn.example.com/abc/">',
  '<base href="//b.github.io">',
)
const head = fc.tuple(base, fc.array(fc.oneof(...leaves.slice(1)), { maxLength: 6 }))
const html = fc
  .tuple(head, markup, fc.array(body, { minLength: 1, maxLength: 5 }))
  .map(
    ([top, title, parts]) =>
      `<!doctype html><html><head>${top.flat().join('')}<title>${title}</title></head><body>${parts.join('')}`,
  )

const cookie = fc
  .tuple(fc.constantFrom('abc', 'abcde', 'ABC', ' bcd ', ''), fc.constantFrom('=', '', ' = '), text)
  .map((parts) => `${parts.join('')}; Path=/; abc=b`)
const header = fc.oneof(
  fc.tuple(fc.constantFrom('server', 'Server', 'x-abc', 'X-ABCDE', 'link', 'location'), value),
  fc.tuple(fc.constantFrom('set-cookie', 'Set-Cookie'), cookie),
)
const records = fc.array(value, { maxLength: 3 })

// The filler is about as long as a window, so that the parts of a body are in one window or in two.
const filler = fc.constantFrom('', ' '.repeat(150), '_'.repeat(190), 'é'.repeat(198), `${'x'.repeat(196)}\u{1f600}`)
const bodyText = fc.array(fc.oneof(words, filler), { maxLength: 8 }).map((parts) => parts.join(''))
const bodies = fc.array(
  fc.record({ url: fc.oneof(written, fc.constantFrom('/main.js', '/app.css')), text: bodyText }),
  {
    maxLength: 3,
  },
)

const tagHtml = fc
  .tuple(words, written)
  .map(([word, url]) => `<script>${word}</script><script data-gtmsrc="${url}"></script><img src="${url}">`)
const tagData = fc.record({
  function: fc.constantFrom('__html', '__abc', '__bcd', '__paused', '__googtag'),
  vtp_html: tagHtml,
  vtp_tagId: fc.constantFrom('G-0A1B2C', 'AW-0A1B2C', 'abc'),
})
/** A container of a tag manager: its first tags run on every page, the others wait for something. */
const container = fc.tuple(fc.array(tagData, { maxLength: 4 }), fc.integer({ min: 0, max: 4 })).map(([tags, sure]) => ({
  url: 'https://www.googletagmanager.com/gtm.js?id=GTM-0A1B2C',
  text: JSON.stringify({
    resource: {
      macros: [{ function: '__e' }],
      predicates: ['gtm.js', 'click'].map((arg1) => ({ function: '_eq', arg0: ['macro', 0], arg1 })),
      tags,
      rules: tags.map((_, i) => [
        ['if', i < sure ? 0 : 1],
        ['add', i],
      ]),
    },
  }),
}))
const scripts = fc.tuple(bodies, fc.array(container, { maxLength: 2 })).map((parts) => parts.flat())

const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { freq: 6 })

/** Generates pages. Every input that can be absent is absent in some of them. */
export const pageInput: fc.Arbitrary<PageInput> = fc.record({
  url: maybe(address),
  status: maybe(fc.constantFrom(200, 404)),
  headers: maybe(fc.array(header, { maxLength: 6 })),
  html,
  dns: maybe(fc.record({ a: records, CNAME: records, txt: records, 'txt _abc': records }, { requiredKeys: ['a'] })),
  tls: maybe(fc.record({ issuer: fc.option(text), names: records })),
  robots: maybe(text),
  favicon: maybe(fc.constantFrom(-12, 34)),
  scripts: maybe(scripts),
  styles: maybe(bodies),
})
