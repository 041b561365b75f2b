import { expect, test } from 'vitest'
import { buildPage, detect, type PageInput } from '../../src/index.ts'
import { describeDetails } from '../../src/lifecycles/describe-details.ts'
import { formatCpe } from '../../src/lifecycles/format-cpe.ts'
import { openOwnRuleset } from '../support/own-ruleset.ts'

const ruleset = openOwnRuleset()
const now = new Date('2026-11-27T23:59:59Z')

const describePage = (page: Omit<PageInput, 'url'>) => {
  const verdict = detect(ruleset, buildPage({ url: 'https://harbourline.example/', status: 200, ...page }))
  return { verdict, details: describeDetails(verdict, { now }) }
}

test('details are in the order of the technologies, with the same names and versions', () => {
  const { verdict, details } = describePage({
    html: `<meta name=generator content="WordPress 6.4.2"><link rel=stylesheet href="/wp-content/themes/a/style.css">
      <script src="/js/jquery-1.12.4.min.js"></script><script src="https://www.googletagmanager.com/gtm.js?id=GTM-ABCDEF1"></script>`,
    headers: { server: 'cloudflare', 'cf-ray': '8a1b2c3d4e5f6789-FRA' },
  })
  expect(details.map(({ name }) => name)).toEqual(verdict.technologies)
  expect(
    Object.fromEntries(details.flatMap(({ name, version }) => (version === null ? [] : [[name, version]]))),
  ).toEqual(verdict.versions)
  const bySlug = new Map(details.map((detail) => [detail.slug, detail]))
  expect(bySlug.get('wordpress')).toEqual({
    slug: 'wordpress',
    name: 'WordPress',
    category: { slug: 'cms', name: 'Content management system' },
    level: 'high',
    version: '6.4.2',
    website: 'https://wordpress.org',
    impliedBy: null,
    cpe: 'cpe:2.3:a:wordpress:wordpress:6.4.2:*:*:*:*:*:*:*',
    support: { cycle: '6.4', state: 'ended', ends: '2024-04-02', latest: '6.4.10', certain: true },
  })
  expect(bySlug.get('php')).toMatchObject({ impliedBy: 'wordpress', version: null, support: null })
  expect(bySlug.get('cloudflare')).toMatchObject({ category: { slug: 'cdn' }, cpe: null, support: null })
  expect(bySlug.get('jquery')?.support).toMatchObject({ state: 'ended', certain: true })
})

test.each([
  ['Apache/2.4.38 (Debian) OpenSSL/1.1.1d', 'openssl', false],
  ['Apache/2.4.6 (CentOS) OpenSSL/1.0.2k-fips PHP/5.4.16', 'php', false],
  ['Apache/2.2.15 (Unix) OpenSSL/1.0.1e', 'openssl', true],
  ['nginx/1.18.0 (Ubuntu)', 'nginx', false],
  ['nginx/1.18.0', 'nginx', true],
])('Server: %s makes the support of %s certain: %s', (server, slug, certain) => {
  const { details } = describePage({ html: '<p>a', headers: { server } })
  expect(details.find((one) => one.slug === slug)?.support).toMatchObject({ state: 'ended', certain })
})

test('a distribution says nothing about what it does not package', () => {
  const { details } = describePage({
    html: '<script src="/js/jquery-1.12.4.min.js"></script>',
    headers: { server: 'nginx/1.18.0 (Ubuntu)' },
  })
  expect(details.find(({ slug }) => slug === 'jquery')?.support?.certain).toBe(true)
})

test.each([
  ['cpe:2.3:a:jquery:jquery', '1.12.4', 'cpe:2.3:a:jquery:jquery:1.12.4:*:*:*:*:*:*:*'],
  ['cpe:2.3:a:jquery:jquery', null, 'cpe:2.3:a:jquery:jquery:*:*:*:*:*:*:*:*'],
  ['cpe:2.3:a:joomla:joomla\\!', '6.0.0-rc+1', 'cpe:2.3:a:joomla:joomla\\!:6.0.0-rc\\+1:*:*:*:*:*:*:*'],
  ['cpe:2.3:a:php:php', '8.2.0RC1 a:b*', 'cpe:2.3:a:php:php:8.2.0rc1_a\\:b\\*:*:*:*:*:*:*:*'],
  ['cpe:2.3:a:php:php', '-', 'cpe:2.3:a:php:php:\\-:*:*:*:*:*:*:*'],
])('the CPE name of %s %s', (beginning, version, name) => {
  expect(formatCpe(beginning, version)).toBe(name)
  // The pattern of the schema of CPE names: https://csrc.nist.gov/schema/cpe/2.3/cpe-naming_2.3.xsd
  expect(name).toMatch(
    /^cpe:2\.3:[aho*-](?::(?:(?:\?*|\*?)(?:[a-zA-Z0-9\-._]|\\[\\*?!"#$%&'()+,/:;<=>@[\]^`{|}~-])+(?:\?*|\*?)|[*-])){5}(?::(?:[a-zA-Z]{2,3}(?:-(?:[a-zA-Z]{2}|[0-9]{3}))?|[*-]))(?::(?:(?:\?*|\*?)(?:[a-zA-Z0-9\-._]|\\[\\*?!"#$%&'()+,/:;<=>@[\]^`{|}~-])+(?:\?*|\*?)|[*-])){4}$/,
  )
})
