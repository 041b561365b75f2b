import { Spec, Validation } from '@cyclonedx/cyclonedx-library'
import { PackageURL } from 'packageurl-js'
import { describe, expect, test } from 'vitest'
import { listPackages } from '../../plugins/packages/list-packages.ts'
import { buildPage, detect, type PageInput } from '../../src/index.ts'
import { describeDetails } from '../../src/lifecycles/describe-details.ts'
import { buildCycloneDx } from '../../src/scan/build-cyclonedx.ts'
import { openOwnRuleset } from '../support/own-ruleset.ts'
import { sampleScan } from '../support/sample-scan.ts'

const OPTIONS = { version: '0.1.0', serial: '3e671687-395b-41f5-a30f-a58921a69b79' }
const now = new Date('2026-11-27T10:00:00Z')
const ruleset = openOwnRuleset()

/** What readers of the document see. */
interface Bom {
  readonly metadata: { readonly timestamp?: string; readonly component: { readonly name: string } }
  readonly components: readonly {
    readonly type: string
    readonly name: string
    readonly group?: string
    readonly version?: string
    readonly purl?: string
    readonly cpe?: string
    readonly evidence?: { readonly identity: readonly { readonly confidence: number }[] }
    readonly properties?: readonly { readonly name: string; readonly value: string }[]
  }[]
}

function describePage(input: PageInput): Bom {
  const page = buildPage(input)
  const verdict = detect(ruleset, page)
  const details = describeDetails(verdict, { now })
  const packages = listPackages(page, (name) => ruleset.places.get('npm')?.has(name) ?? false)
  return buildCycloneDx({ ...verdict, details, packages }, { ...OPTIONS, now }) as Bom
}

const PAGE: PageInput = {
  url: 'https://harbourline.example/shop?x=1',
  status: 200,
  headers: { server: 'Apache/2.4.38 (Debian) OpenSSL/1.1.1d', 'x-powered-by': 'PHP/7.3.31' },
  html: `<meta name=generator content="WordPress 6.4.2"><script src="https://cdn.jsdelivr.net/npm/jquery@1.12.4/dist/jquery.min.js"></script>
    <script src="https://unpkg.com/@acme/rare@0.3.0/x.js"></script><script src="https://unpkg.com/bootstrap@5/x.js"></script>`,
}

describe('a CycloneDX document', () => {
  const validator = new Validation.JsonStrictValidator(Spec.Version.v1dot6)
  const { verdict, ...scan } = sampleScan('https://harbourline.example/')
  test.each<[string, object]>([
    ['of a page', describePage(PAGE)],
    ['of an empty page without an address', describePage({ html: '' })],
    ['of a live scan', buildCycloneDx({ ...verdict, ...scan }, OPTIONS)],
    [
      'of a page with hostile texts',
      describePage({
        ...PAGE,
        html: `${PAGE.html}<meta name=generator content="Drupal 7\u0001\u202e<b>"><script src="https://unpkg.com/a@1:2*/x.js"></script>`,
      }),
    ],
  ])('%s is valid by the official schema', async (_, document) => {
    expect(await validator.validate(JSON.stringify(document))).toBeNull()
  })

  test('the validator rejects what the schema does not allow', async () => {
    expect(await validator.validate(JSON.stringify({ ...describePage(PAGE), acme: 1 }))).not.toBeNull()
  })

  test('has technologies with version, CPE name, package URL, evidence and support', () => {
    const { metadata, components } = describePage(PAGE)
    expect(metadata).toMatchObject({
      timestamp: '2026-11-27T10:00:00.000Z',
      component: { name: 'harbourline.example' },
    })
    const jquery = components.filter(({ name }) => name.toLowerCase() === 'jquery')
    expect(jquery).toMatchObject([
      {
        type: 'library',
        name: 'jQuery',
        version: '1.12.4',
        cpe: 'cpe:2.3:a:jquery:jquery:1.12.4:*:*:*:*:*:*:*',
        purl: 'pkg:npm/jquery@1.12.4',
        evidence: { identity: [{ confidence: 1 }] },
      },
    ])
    expect(jquery[0].properties).toContainEqual({ name: 'siteprint:support:state', value: 'ended' })
    const php = components.find(({ name }) => name === 'PHP')
    expect(php?.properties).toContainEqual({ name: 'siteprint:support:certain', value: 'false' })
    const mysql = components.find(({ name }) => name === 'MySQL')
    expect(mysql).not.toHaveProperty('evidence')
    expect(mysql?.properties).toContainEqual({ name: 'siteprint:impliedBy', value: 'wordpress' })
    expect(mysql?.properties).toContainEqual({ name: 'siteprint:level', value: 'medium' })
  })

  test('has packages that no rule names, and readers of package URLs read them', () => {
    const { components } = describePage(PAGE)
    expect(components).toContainEqual({
      type: 'library',
      'bom-ref': 'package:@acme/rare@0.3.0',
      group: '@acme',
      name: 'rare',
      version: '0.3.0',
      purl: 'pkg:npm/%40acme/rare@0.3.0',
    })
    const purls = components.flatMap(({ purl = [] }) => purl)
    expect(purls.length).toBeGreaterThanOrEqual(3)
    for (const purl of purls) expect(PackageURL.fromString(purl).toString()).toBe(purl)
  })
})
