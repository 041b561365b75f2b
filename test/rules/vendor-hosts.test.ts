import { describe, expect, test } from 'vitest'
import { excludeVendorHosts, VENDOR_NAMES } from '../../src/rules/vendor-hosts.ts'

const HOSTS = VENDOR_NAMES.map((name) => `${name}.acme.com`)
const expand = (
  clause: object,
  website: string | string[] = 'https://www.acme.com',
  kind: 'builder' | 'technology' = 'builder',
): unknown => excludeVendorHosts({ kind, website, detect: [clause] } as never)[0]

describe('excludeVendorHosts', () => {
  test.each<[string, object, object]>([
    ['url', { url: '.acme.com' }, { all: [{ url: '.acme.com' }, { not: { url: HOSTS } }] }],
    [
      'canonical link',
      { link: 'canonical', under: '.acme.com' },
      { all: [{ link: 'canonical', under: '.acme.com' }, { not: { link: 'canonical', under: HOSTS } }] },
    ],
    [
      'og:url',
      { meta: 'og:url', under: ['.acme.com'] },
      { all: [{ meta: 'og:url', under: ['.acme.com'] }, { not: { meta: 'og:url', under: HOSTS } }] },
    ],
    ['path', { url: '.acme.com/site' }, { all: [{ url: '.acme.com/site' }, { not: { url: HOSTS } }] }],
    [
      'weight',
      { url: '.acme.com', weight: 'medium' },
      { weight: 'medium', all: [{ url: '.acme.com' }, { not: { url: HOSTS } }] },
    ],
    [
      'group',
      { any: [{ url: '.acme.com' }, { title: 'Acme' }] },
      { any: [{ all: [{ url: '.acme.com' }, { not: { url: HOSTS } }] }, { title: 'Acme' }] },
    ],
  ])('adds the hosts of the vendor to a clause: %s', (_, clause, expected) => {
    expect(expand(clause)).toEqual(expected)
  })

  test.each<[string, object, string | undefined, 'builder' | 'technology' | undefined]>([
    ['another domain', { url: '.acme.app' }, undefined, undefined],
    ['one host', { url: 'acme.com' }, undefined, undefined],
    ['files', { asset: '.acme.com' }, undefined, undefined],
    ['another link', { link: 'icon', under: '.acme.com' }, undefined, undefined],
    ['what a page must not have', { not: { url: '.acme.com' } }, undefined, undefined],
    ['a technology', { url: '.acme.com' }, undefined, 'technology'],
    ['another website', { url: '.acme.com' }, 'https://acme.org', undefined],
  ])('leaves a clause as it is: %s', (_, clause, website, kind) => {
    expect(expand(clause, website, kind)).toEqual(clause)
  })
})
