/** A rule that should not be accepted, although its own test passes. */
export interface BadRule {
  readonly slug: string
  /** `builders`, or `technologies/analytics`. */
  readonly folder: string
  /** The clauses. */
  readonly detect: string
  /** The page of its hit, and the level that it reaches. */
  readonly page: string
  readonly level: 'high' | 'medium' | 'low'
  /** Other parts of the rule, by what they replace. */
  readonly changes?: Readonly<Record<string, string>>
  /** The finding that rejects the rule: of lint, `unrelated-hit` on the page of another rule, or `broad-clause`. */
  readonly finding: string
}

const html = (head: string, body = ''): string => `
      html: |
        <!doctype html>
        <html lang="en">
        <head>
          <title>Hillside Pottery</title>
          ${head}
        </head>
        <body>
          <h1>Mugs and bowls from the hillside</h1>
          ${body}
        </body>
        </html>`
const plain = (text: string): string => ` { ${text} }`
const bad = (
  slug: string,
  detect: string,
  page: string,
  rest: Omit<BadRule, 'slug' | 'detect' | 'page' | 'folder' | 'level'> & Partial<Pick<BadRule, 'folder' | 'level'>>,
): BadRule => ({ slug, detect, page, folder: 'builders', level: 'high', ...rest })
const TECHNOLOGY = { folder: 'technologies/analytics' }
const mark = (word: string): readonly [detect: string, page: string] => [
  `{ meta: ${word}-id }`,
  html(`<meta name="${word}-id" content="7">`),
]

/** Rules of the kind that a hasty author writes. Each passes its own test. */
export const BAD_RULES: readonly BadRule[] = [
  bad(
    'anchor-facebook',
    '{ anchor: facebook.com }',
    html('', '<a href="https://facebook.com/hillside">Follow us</a>'),
    { ...TECHNOLOGY, finding: 'customer-host' },
  ),
  bad('link-to-a-shop', '{ anchor: /kiln.php }', html('', '<a href="https://hillside.example/kiln.php">Shop</a>'), {
    finding: 'foreign-link',
  }),
  bad('class-hero', "{ element: '[class*=hero]' }", html('', '<div class="hero-image">New glazes</div>'), {
    ...TECHNOLOGY,
    finding: 'unrelated-hit',
  }),
  bad('correlation-id', '{ header: x-correlation-id }', plain('headers: { x-correlation-id: 7f3a }'), {
    ...TECHNOLOGY,
    finding: 'broad-clause',
  }),
  bad('one-customer', '{ url: www.hillside-pottery.co.uk }', plain('url: https://www.hillside-pottery.co.uk/'), {
    finding: 'customer-host',
  }),
  bad('second-wordpress', ...mark('second-wordpress'), {
    changes: { 'name: Zed second-wordpress': 'name: WordPress' },
    finding: 'duplicate-name',
  }),
  bad(
    'any-version',
    "{ meta: generator, match: '^Zed (.*)', version: 1 }",
    html('<meta name="generator" content="Zed Kiln">'),
    { finding: 'greedy-version' },
  ),
  bad(
    'canonical-customer',
    '{ link: canonical, under: hillside-pottery.com }',
    html('<link rel="canonical" href="https://hillside-pottery.com/">'),
    { finding: 'customer-host' },
  ),
  bad(
    'certificate-customer',
    '{ tls: name, is: hillside-pottery.com }',
    plain('tls: { names: [hillside-pottery.com] }'),
    { finding: 'customer-host' },
  ),
  bad(
    'record-customer',
    '{ dns: mx, under: mail.hillside-pottery.com }',
    plain('dns: { mx: [mail.hillside-pottery.com] }'),
    { finding: 'customer-host' },
  ),
  bad('record-label', '{ dns: CNAME kiln.com }', plain("dns: { 'cname kiln.com': [x.example] }"), {
    finding: 'label-with-suffix',
  }),
  bad('tomorrow', ...mark('tomorrow'), {
    changes: { 'verified: 2026-11-20': 'verified: 2031-01-01' },
    finding: 'future-verified',
  }),
  bad('long-ago', ...mark('long-ago'), {
    changes: { 'verified: 2026-11-20': 'verified: 2022-05-01' },
    finding: 'stale',
  }),
  bad('code-search', ...mark('code-search'), {
    changes: { 'source: https://zed.example/docs': 'source: https://github.com/search?q=kiln&type=code' },
    finding: 'weak-source',
  }),
  bad(
    'mark-of-lovable',
    '{ script: cdn.gpteng.co/gptengineer.js }',
    html('<script src="https://cdn.gpteng.co/gptengineer.js"></script>'),
    { finding: 'overlap' },
  ),
  bad('mark-of-mediawiki', '{ element: body.mediawiki }', html('', '').replace('<body>', '<body class="mediawiki">'), {
    finding: 'overlap',
  }),
  bad('word-version', "{ comment: Zed, match: 'Zed v(\\S+)', version: 1 }", html('<!-- Zed v2 -->'), {
    ...TECHNOLOGY,
    finding: 'greedy-version',
  }),
  bad('top-level-domain', '{ url: .shop }', plain('url: https://hillside.shop/'), { finding: 'bad-locator' }),
  bad('any-www', '{ url: www.* }', plain('url: https://www.hillside.example/'), { finding: 'unrelated-hit' }),
  bad('viewport', '{ meta: viewport }', html('<meta name="viewport" content="width=device-width">'), {
    finding: 'unrelated-hit',
  }),
  bad('any-stylesheet', '{ link: stylesheet }', html('<link rel="stylesheet" href="/style.css">'), {
    ...TECHNOLOGY,
    finding: 'unrelated-hit',
  }),
  bad('any-header', "{ element: 'body > header, main' }", html('', '<main>Open daily</main>'), {
    finding: 'unrelated-hit',
  }),
  bad('any-server', '{ header: server }', plain('headers: { server: zed }'), {
    ...TECHNOLOGY,
    finding: 'unrelated-hit',
  }),
  bad('found-page', '{ status: 200 }', plain('status: 200'), { finding: 'unrelated-hit' }),
  bad(
    'two-phrases',
    '{ text: contact us }\n  - { text: opening hours }',
    html('', '<p>Opening hours: contact us</p>'),
    { level: 'low', finding: 'unrelated-hit' },
  ),
  bad('session-cookie', '{ cookie: session* }', plain("headers: { set-cookie: 'session=1' }"), {
    finding: 'unrelated-hit',
  }),
  bad('admin-robots', "{ robots: 'Disallow: /admin' }", plain("robots: 'Disallow: /admin'"), {
    finding: 'broad-clause',
  }),
  bad('main-script', '{ script: /main.js }', html('<script src="/main.js"></script>'), {
    ...TECHNOLOGY,
    finding: 'unrelated-hit',
  }),
  bad(
    'customer-picture',
    '{ asset: www.hillside-pottery.co.uk/logo.png }',
    html('', '<img src="https://www.hillside-pottery.co.uk/logo.png">'),
    { finding: 'customer-host' },
  ),
]
