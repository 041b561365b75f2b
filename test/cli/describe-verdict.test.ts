import { describe, expect, test } from 'vitest'
import { type DescriptionParts, describeVerdict } from '../../src/cli/scan/describe-verdict.ts'
import { buildLabels } from '../../src/detector/ruleset-labels.ts'
import { buildPage, detect } from '../../src/index.ts'
import { describeDetails } from '../../src/lifecycles/describe-details.ts'
import { builder, buildRuleset, compile, siteType, technology } from '../engine/support/tiny-rules.ts'

const ruleset = buildRuleset(
  compile([
    builder('acme', { detect: [{ meta: 'generator', has: 'Acme' }] }),
    technology('swift-slider', { category: 'library', detect: [{ script: '/swift-slider.js' }] }),
    siteType('shop', { name: 'Shop', detect: [{ text: 'Add to cart' }] }),
  ]),
)
const labels = buildLabels({ categories: ruleset.categories, rules: ruleset.rules, places: ruleset.packed.known })
const describePage = (
  html: string,
  hasColors = false,
  infrastructure: DescriptionParts['infrastructure'] = null,
): string => {
  const verdict = detect(ruleset, buildPage({ url: 'https://acme.example/', html }))
  const title = 'Spring\u001b[31m sale \u202eevil'
  const details = describeDetails(verdict, { now: new Date('2026-11-27T12:00:00Z') })
  return describeVerdict(verdict, { labels, title, details, infrastructure, hasColors })
}

describe('a result for people', () => {
  test('names builder, technologies by category, and the evidence', () => {
    const text = describePage('<meta name=generator content="Acme 2"><script src=/swift-slider.js></script>')
    expect(text.split('\n')).toEqual([
      'https://acme.example/  “Spring [31m sale evil”',
      'Builder    ACME (high confidence)',
      'Hosting    not known',
      'Site type  not known',
      'Libraries  SWIFT-SLIDER',
      '',
      'Evidence for ACME:',
      '  { meta: generator, has: Acme }: “Acme 2”',
      '',
    ])
  })

  test('says what is not known', () => {
    expect(describePage('<p>nothing').split('\n').slice(1, 4)).toEqual([
      'Builder    not known',
      'Hosting    not known',
      'Site type  not known',
    ])
  })

  test('says that it is not the site', () => {
    expect(describePage('<p>').split('\n')[1]).toBe(
      'Attention  the answer is not the site but a page that shows nothing',
    )
  })

  test.each<[string, DescriptionParts['infrastructure'], string[]]>([
    [
      'network and name of the address',
      { network: { asn: 64496, name: 'Harbour Networks' }, reverseDns: 'a.harbour.example', tlsError: null },
      ['Network    Harbour Networks (AS64496), a.harbour.example'],
    ],
    [
      'a network alone',
      { network: { asn: 64496, name: 'Harbour' }, reverseDns: null, tlsError: null },
      ['Network    Harbour (AS64496)'],
    ],
    [
      'a hostile name',
      { network: null, reverseDns: '\u001b[2J\na\u202e', tlsError: null },
      ['Network    \ufffd[2J a\ufffd'],
    ],
    [
      'an invalid certificate',
      { network: null, reverseDns: null, tlsError: 'expired' },
      ['TLS        Invalid certificate: it has expired'],
    ],
    ['nothing', { network: null, reverseDns: null, tlsError: null }, []],
  ])('has a line for %s', (_, infrastructure, expected) => {
    const lines = describePage('<p>nothing', false, infrastructure).split('\n')
    expect(lines.filter((line) => /^(?:Network|TLS)/.test(line))).toEqual(expected)
  })

  test('has colours only where the terminal shows them', () => {
    expect(describePage('<p>nothing', true)).toContain('\u001b[1mhttps://acme.example/')
    expect(describePage('<p>nothing')).not.toContain('\u001b')
  })
})
