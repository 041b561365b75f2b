import { PackageURL } from 'packageurl-js'
import { expect, test } from 'vitest'
import { formatPurl, listPackages, MAX_PACKAGES } from '../../plugins/packages/list-packages.ts'
import { buildPage } from '../../src/index.ts'

const list = (html: string, scripts: readonly { url: string; text: string }[] = []): string[] =>
  listPackages(
    buildPage({ url: 'https://harbourline.example/', html, scripts: [...scripts] }),
    (name) => name === 'jquery' || name === 'swiper',
  ).map(({ name, version }) => `${name} ${version}`)

const importMap = '{"imports":{"vue":"https://esm.sh/vue@3.4.21"}}'

test.each([
  [
    'jsDelivr',
    '<script src="https://cdn.jsdelivr.net/npm/jquery@1.12.4/dist/jquery.min.js"></script>',
    ['jquery 1.12.4'],
  ],
  ['a scope', '<script src="https://unpkg.com/@acme/core@2.0.1/x.js"></script>', ['@acme/core 2.0.1']],
  [
    'a name that no rule has',
    '<script src="https://unpkg.com/some-rare-thing@0.3.0"></script>',
    ['some-rare-thing 0.3.0'],
  ],
  ['no version', '<script src="https://cdn.jsdelivr.net/npm/some-rare-thing"></script>', ['some-rare-thing null']],
  ['a range', '<script src="https://cdn.jsdelivr.net/npm/bootstrap@5/x.js"></script>', ['bootstrap 5']],
  ['a tag', '<script src="https://unpkg.com/some-rare-thing@latest/x.js"></script>', ['some-rare-thing null']],
  [
    'two versions and none',
    '<script src="https://unpkg.com/a-b@2.0.0/x.js"></script><script src="https://unpkg.com/a-b@1.0.0/x.js"></script><link rel=stylesheet href="https://unpkg.com/a-b/x.css">',
    ['a-b 1.0.0', 'a-b 2.0.0'],
  ],
  ['an import map', `<script type=importmap>${importMap}</script>`, ['vue 3.4.21']],
  ['an installed package', '<script src="/node_modules/a-b/index.js"></script>', ['a-b null']],
  ['a folder that is called npm', '<script src="/npm/tools/menu.js"></script>', []],
  ['the same with a name of a rule', '<script src="/npm/jquery/jquery.js"></script>', ['jquery null']],
  ['a link', '<a href="https://unpkg.com/a-b@1.0.0/x.js">a</a>', []],
  ['a bad name', '<script src="https://unpkg.com/%00%22@1.0.0/x.js"></script>', []],
])('packages of %s', (_, html, packages) => {
  expect(list(html)).toEqual(packages)
})

test('comments of scripts name packages that rules know', () => {
  const text = '/*! swiper v11.0.5 */a();/*! Version 1.2.3 */b()'
  expect(list('<script src="/app.js"></script>', [{ url: 'https://harbourline.example/app.js', text }])).toEqual([
    'swiper 11.0.5',
  ])
})

test('the number of packages is bounded', () => {
  const html = Array.from({ length: 2000 }, (_, i) => `<script src="https://unpkg.com/p${i}@1.0.${i}/x.js"></script>`)
  expect(list(html.join(''))).toHaveLength(MAX_PACKAGES)
  const versions = Array.from({ length: 2000 }, (_, i) => `<script src="https://unpkg.com/p@1.0.${i}/x.js"></script>`)
  expect(list(versions.join(''))).toHaveLength(MAX_PACKAGES)
})

test.each([
  ['jquery', '1.12.4', 'pkg:npm/jquery@1.12.4'],
  ['@acme/core', '2.0.1', 'pkg:npm/%40acme/core@2.0.1'],
  ['bootstrap', '5', 'pkg:npm/bootstrap'],
  ['vue', null, 'pkg:npm/vue'],
  ['JSONStream', '1.0.0', 'pkg:npm/jsonstream@1.0.0'],
])('the package URL of %s %s is read back', (name, version, purl) => {
  expect(formatPurl(name, version)).toBe(purl)
  const read = PackageURL.fromString(purl)
  expect(read.toString()).toBe(purl)
  expect([read.namespace, read.name].filter(Boolean).join('/')).toBe(name.toLowerCase())
})
