import { describe, expect, test } from 'vitest'
import { detectors } from '../../plugins/index.ts'
import { Ruleset } from '../../src/engine/lookup/ruleset.ts'
import type { Detector } from '../../src/engine/page/detector.ts'
import { buildPage, type PageInput } from '../../src/engine/page/page.ts'
import { indexPlaces } from '../../src/engine/rule/clause.ts'
import { compileRule } from '../../src/engine/rule/compile.ts'
import type { ClauseSource } from '../../src/engine/rule/types.ts'
import { detect } from '../../src/engine/verdict/detect.ts'
import type { ClauseEvidence, Verdict } from '../../src/engine/verdict/verdict-types.ts'
import { google } from './support/containers.ts'
import { builder, buildPageWith, getVerdict, type TinyRule, technology } from './support/tiny-rules.ts'

const long = 'x'.repeat(500)

test.each<[string, ClauseSource, PageInput, Partial<ClauseEvidence>]>([
  [
    'the clause as written, its place, weight, family, hits and texts',
    { meta: ['generator', 'author'], has: 'Quill', case: 'exact' },
    { html: '<meta name=generator content="Quill 2"><meta name=author content="Quill">' },
    {
      clause: '{ meta: [generator, author], has: Quill, case: exact }',
      places: ['meta'],
      weight: 'strong',
      family: 'declared',
      hits: 2,
      texts: ['Quill 2', 'Quill'],
    },
  ],
  [
    'every place of a group, and no text for an absent value',
    { all: [{ element: 'b' }, { title: 'Shop' }, { not: { element: 'i' } }], weight: 'medium' },
    { html: '<title>My Shop</title><b> bold\n text</b>' },
    { places: ['element', 'title'], weight: 'medium', family: 'markup', hits: 3, texts: ['bold text', 'My Shop'] },
  ],
  ['texts cut to 200 characters', { comment: 'xxx' }, { html: `<!--${long}-->` }, { texts: [long.slice(0, 200)] }],
  [
    'element texts cut to 200 characters',
    { element: 'p' },
    { html: `<p>${long}</p>` },
    { texts: [long.slice(0, 200)] },
  ],
  ['an attribute', { element: 'b', attr: 'id', is: 'y' }, { html: '<b id=y>z</b>' }, { texts: ['y'] }],
  [
    'a URL',
    { asset: '/a.png' },
    { url: 'https://a.com/', html: '<img src=a.png>' },
    { texts: ['https://a.com/a.png'] },
  ],
  [
    'the container through which a tag came',
    { tag: '__hjtc' },
    { scripts: [google({ tags: [{ function: '__hjtc' }] })] },
    { family: 'loaded', weight: 'strong', texts: ['__hjtc'], through: ['Google Tag Manager GTM-0A1B2C'] },
  ],
  [
    'the URL of a script, and a literal with 80 characters around it',
    { bundle: 'kilnrt@' },
    {
      url: 'https://a.com/',
      html: '<script src=/main.js></script><script src=/b.js></script>',
      scripts: [
        { url: '/main.js', text: `${long}KilnRT@${'é'.repeat(90)}` },
        { url: '/b.js', text: '<!-- a"\n kilnrt@ <b>' },
      ],
    },
    {
      hits: 2,
      texts: [
        `https://a.com/main.js: ${'x'.repeat(40)}KilnRT@${'é'.repeat(40)}`,
        'https://a.com/b.js: <!-- a"\n kilnrt@ <b>',
      ],
    },
  ],
  [
    'the end of a long URL, within 200 characters',
    { stylesheet: `--${long.slice(0, 60)}` },
    { html: '', styles: [{ url: `/${long}/a.css`, text: `${'y'.repeat(300)}--${'x'.repeat(60)}${'z'.repeat(300)}` }] },
    { texts: [`…${'x'.repeat(93)}/a.css: ${'y'.repeat(18)}--${'x'.repeat(60)}${'z'.repeat(18)}`] },
  ],
  [
    'the occurrence that passed the tests',
    { bundle: 'kilnrt@', match: 'kilnrt@\\d' },
    { html: '', scripts: [{ url: '/a.js', text: `kilnrt@x${' '.repeat(300)}kilnrt@2` }] },
    { texts: [`/a.js: ${' '.repeat(40)}kilnrt@2`] },
  ],
  [
    'the first three texts of many hits',
    { element: 'p' },
    { html: '<p>a'.repeat(50) },
    { hits: 50, texts: ['a', 'a', 'a'] },
  ],
])('evidence shows %s', (_, clause, page, expected) => {
  const [evidence] = getVerdict([technology('x', { detect: [clause] })], page).evidence
  expect(evidence.clauses[0]).toMatchObject(expected)
})

test('evidence contains the rule, its points, unseen places, and only clauses that hold', () => {
  const rule = technology('x', {
    name: 'Ex',
    detect: [{ meta: 'a' }, { robots: 'abc' }, { text: 'one' }, { tls: 'issuer' }, { header: 'b' }],
  })
  const [evidence] = getVerdict([rule], { html: '<meta name=a content=1>', headers: {} }).evidence
  expect(evidence).toMatchObject({ kind: 'technology', slug: 'x', name: 'Ex', level: 'high', points: 6, chosen: true })
  expect(evidence.clauses.map(({ clause }) => clause)).toEqual(['{ meta: a }'])
  expect(evidence.unseen).toEqual(['robots', 'tls'])
})

test.each<[string, TinyRule[], Parameters<typeof buildPageWith>[0], Record<string, string | undefined>]>([
  ['a missing requirement', [builder('aaa', { requires: 'bbb' })], { aaa: 'high' }, { aaa: 'required bbb is missing' }],
  [
    'which rule implies it',
    [builder('aaa', { implies: 'bbb' }), builder('bbb')],
    { aaa: 'high' },
    { aaa: undefined, bbb: 'implied by aaa' },
  ],
  [
    'which rule excludes it',
    [builder('aaa', { excludes: 'bbb' }), builder('bbb')],
    { aaa: 'high', bbb: 'low' },
    { aaa: undefined, bbb: 'excluded by aaa' },
  ],
  [
    'a conflict',
    [builder('aaa'), builder('bbb')],
    { aaa: 'high', bbb: 'high' },
    { aaa: 'conflicting', bbb: undefined },
  ],
])('evidence reports %s', (_, rules, page, notes) => {
  const { evidence } = getVerdict(rules, buildPageWith(page))
  expect(Object.fromEntries(evidence.map(({ slug, note }) => [slug, note]))).toEqual(notes)
})

test('evidence contains losing builders, not marked as chosen', () => {
  const { evidence } = getVerdict([builder('aaa'), builder('bbb')], buildPageWith({ aaa: 'high', bbb: 'medium' }))
  expect(evidence.map(({ slug, chosen }) => [slug, chosen])).toEqual([
    ['aaa', true],
    ['bbb', false],
  ])
})

describe('evidence is a field of the verdict', () => {
  const verdict = (): Verdict =>
    getVerdict([builder('aaa'), builder('bbb')], buildPageWith({ aaa: 'high', bbb: 'medium' }))

  test.each<[string, (verdict: Verdict) => Verdict]>([
    ['a spread', (one) => ({ ...one })],
    ['a structured clone', (one) => structuredClone(one)],
    ['JSON', (one) => JSON.parse(JSON.stringify(one))],
    ['Object.assign', (one) => Object.assign({}, one)],
    ['its entries', (one) => Object.fromEntries(Object.entries(one)) as unknown as Verdict],
  ])('%s contains it', (_, copy) => {
    const one = verdict()
    expect(copy(one).evidence.map(({ slug }) => slug)).toEqual(['aaa', 'bbb'])
    expect(copy(one)).toEqual(one)
    expect(one.evidence).toBe(one.evidence)
  })

  test('it is built once, on first access', () => {
    let calls = 0
    const place: Detector = {
      key: 'spot',
      about: '',
      family: 'declared',
      word: 'value',
      *read() {},
      seen: () => ++calls > 0,
    }
    const rule = { ...technology('x'), detect: [{ meta: 'x' }, { spot: 'a' }] }
    const compiled = compileRule(
      { name: 'X', source: [], verified: '2026-11-20', ...rule },
      indexPlaces([...detectors, place]),
    )
    const ruleset = Ruleset.of(
      {
        rules: [compiled],
        categories: { builders: {}, technologies: {} },
        version: '',
      },
      [...detectors, place],
    )
    const one = detect(ruleset, buildPage({ html: '<meta name=x content=1>' }))
    expect([one.technologies, calls]).toEqual([['X'], 0])
    expect([one.evidence.length, one.evidence.length, calls]).toEqual([1, 1, 1])
  })
})
