import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { detectors } from '../../plugins/index.ts'
import { readOrdinaryPages } from '../../src/authoring/ordinary-pages.ts'
import { Ruleset } from '../../src/engine/lookup/ruleset.ts'
import { indexPlaces, toList } from '../../src/engine/rule/clause.ts'
import { compileRule } from '../../src/engine/rule/compile.ts'
import { buildPage, detect } from '../../src/index.ts'
import { listFired } from '../../src/rules/run-fixture.ts'

/** Clauses of the kind that a hasty author writes for some product. Several in one line make one rule. */
const LAZY = `
{ url: [www.*] }
{ url: [blog.*] }
{ url: [docs.*] }
{ url: /blog }
{ url: /login }
{ status: 404 }
{ status: 500 }
{ header: server }
{ header: x-powered-by }
{ header: x-request-id }
{ header: x-cache }
{ header: x-cache, has: HIT }
{ header: x-served-by }
{ header: x-version }
{ header: via }
{ header: vary, has: Origin }
{ header: alt-svc, has: h3 }
{ header: content-security-policy, has: youtube.com }
{ header: content-security-policy, has: cdn.jsdelivr.net }
{ header: etag, match: '^W/' }
{ header: server, has: nginx }
{ header: server-timing }
{ cookie: session* }
{ cookie: sid }
{ cookie: csrf* }
{ cookie: _ga }
{ cookie: token }
{ cookie: cart* }
{ cookie: lang }
{ cookie: theme }
{ cookie: consent }
{ cookie: visitor* }
{ dns: mx, under: aspmx.l.google.com }
{ dns: mx, under: .mail.protection.outlook.com }
{ dns: ns, under: .ns.cloudflare.com }
{ dns: ns, under: .domaincontrol.com }
{ dns: ns, has: awsdns }
{ dns: txt, has: google-site-verification }
{ dns: txt, has: 'v=spf1' }
{ dns: txt, has: facebook-domain-verification }
{ dns: txt, has: hubspot }
{ tls: issuer, is: Let's Encrypt }
{ tls: issuer, has: Google }
{ tls: issuer, has: DigiCert }
{ tls: name, has: www. }
{ robots: 'Disallow: /admin' }
{ robots: 'Sitemap:' }
{ robots: GPTBot }
{ robots: /cgi-bin/ }
{ robots: 'Disallow: /checkout' }
{ robots: WordPress }
{ meta: generator }
{ meta: generator, has: wordpress }
{ meta: generator, has: hugo }
{ meta: viewport }
{ meta: 'og:*' }
{ meta: theme-color }
{ meta: author }
{ meta: csrf* }
{ meta: google-site-verification }
{ meta: 'fb:app_id' }
{ meta: description, has: WordPress }
{ meta: keywords, has: shopify }
{ meta: application-name }
{ title: WordPress }
{ title: Home }
{ title: Shopify }
{ jsonld: Organization }
{ jsonld: WebSite }
{ jsonld: Product }
{ jsonld: WebSite.potentialAction.query-input, has: search_term_string }
{ script: /main.js }
{ script: /app.js }
{ script: /bundle.js }
{ script: /static/js/main* }
{ script: /assets/index* }
{ script: /js }
{ script: cdn.jsdelivr.net }
{ script: unpkg.com }
{ script: cdnjs.cloudflare.com/ajax }
{ script: ajax.googleapis.com/ajax }
{ script: .cloudfront.net }
{ script: .amazonaws.com }
{ script: storage.googleapis.com }
{ asset: fonts.googleapis.com }
{ asset: fonts.gstatic.com }
{ asset: /style.css }
{ asset: /css }
{ asset: /images }
{ asset: /uploads }
{ asset: /media }
{ asset: /assets }
{ asset: /static }
{ asset: /favicon.ico }
{ asset: /themes }
{ asset: .googleusercontent.com }
{ asset: res.cloudinary.com }
{ asset: images.unsplash.com }
{ frame: www.youtube.com/embed }
{ frame: www.google.com/maps }
{ link: manifest }
{ link: canonical }
{ link: pingback }
{ link: preconnect }
{ link: alternate, has: feed }
{ element: '[class*=hero]' }
{ element: .container }
{ element: .btn }
{ element: '#root' }
{ element: '#app' }
{ element: '#wrapper' }
{ element: main }
{ element: .nav-item }
{ element: '[data-id]' }
{ element: '[data-component]' }
{ element: '[data-theme]' }
{ element: '[data-testid]' }
{ element: '[data-section]' }
{ element: '[class*=wordpress]' }
{ element: '[class*=elementor]' }
{ element: 'input[name*=csrf]' }
{ element: 'input[name=token]' }
{ element: '[itemtype*=Product]' }
{ element: .product }
{ element: .post }
{ element: svg }
{ element: 'script[type=module]' }
{ element: 'img[loading=lazy]' }
{ element: '.modal, .popup' }
{ element: html.js }
{ element: 'html[lang]' }
{ element: .wow, weight: medium }, { element: .slider, weight: medium }
{ element: noscript, has: enable JavaScript }
{ comment: Google Tag Manager }
{ comment: generated }
{ comment: Theme }
{ comment: '[if IE' }
{ inline: window.app }
{ inline: dataLayer }, { inline: localStorage }
{ inline: ajaxurl }
{ inline: serviceWorker }
{ inline: __STATE__ }
{ inline: use strict }
{ inline: csrfToken }
{ style: '--primary' }
{ style: '@font-face' }
{ style: box-sizing }
{ style: normalize.css }
{ anchor: facebook.com }, { anchor: twitter.com }
{ anchor: www.linkedin.com }
{ anchor: www.instagram.com }
{ anchor: .youtube.com }
{ anchor: /wp-content/ }
{ anchor: /privacy }
{ anchor: wordpress.org }
{ anchor: www.shopify.com }
{ anchor: .webflow.io }
{ anchor: .lovable.app }
{ anchor: github.com }
{ text: contact us }, { text: opening hours }
{ text: Powered by }, { text: All rights reserved }
{ text: WordPress }, { text: Elementor }
{ text: Made with }, { text: Get started }
{ text: kontakt }, { text: Impressum }
{ html: wp-content }, { html: wp-includes }
{ html: shopify }, { html: cdn.shopify.com }
`
  .trim()
  .split('\n')

test('ordinary pages show that a lazy clause is broad', () => {
  const places = indexPlaces(detectors)
  const rules = LAZY.map((line, i) =>
    compileRule(
      {
        kind: 'technology',
        slug: `lazy-${i}`,
        name: `Lazy ${i}`,
        category: 'analytics',
        detect: toList(parse(`[${line}]`)),
        source: [],
        verified: '2026-11-20',
      },
      places,
    ),
  )
  const ruleset = Ruleset.of({ rules, categories: { builders: {}, technologies: {} }, version: '' }, detectors)
  const fired = new Set(
    readOrdinaryPages().pages.flatMap(({ input }) =>
      listFired(detect(ruleset, buildPage(input))).map(({ slug }) => slug),
    ),
  )
  expect(LAZY.filter((_, i) => !fired.has(`lazy-${i}`))).toEqual([])
})
