import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isContainer, readContainer } from '../../src/engine/page/container/find-containers.ts'
import { buildPage, type PageInput } from '../../src/engine/page/page.ts'
import { selectBodies } from '../../src/engine/page/select-bodies.ts'
import { countRuns } from '../support/property-runs.ts'
import { GOOGLE_URL, google, writeGoogle } from './support/containers.ts'

const SITE = 'https://www.harbourline.example/shop/'
const snippet = (end: string, source = 'https://www.googletagmanager.com/gtm.js?id='): string =>
  `<script>(function(w,d,s,l,i){w[l]=w[l]||[];w[l].push({'gtm.start':new Date().getTime(),event:'gtm.js'});var f=d.getElementsByTagName(s)[0],j=d.createElement(s);j.async=true;j.src='${source}'+i+dl;f.parentNode.insertBefore(j,f);})(window,document,'script','dataLayer',${end});</script>`
const script = (src: string): string => `<script src="${src}"></script>`
const find = (html: string): string[] => selectBodies(html, SITE).selected.container.map(({ url }) => url.href)

describe('the containers of a page', () => {
  const gtm = (id: string): string => `https://www.googletagmanager.com/gtm.js?id=${id}`
  test.each<[name: string, html: string, expected: readonly string[]]>([
    ['none', '<p>gtm.js?id=GTM-0A1B2C</p>', []],
    ['a script', script(GOOGLE_URL), [GOOGLE_URL]],
    ['an inline snippet', snippet("'GTM-0A1B2C'"), [GOOGLE_URL]],
    ['a snippet in a string', `<script>push("gtm.start ${'\\"GTM-0A1B2C\\"'}")</script>`, [GOOGLE_URL]],
    [
      'a snippet with a host of the site',
      snippet("'GTM-0A1B2C'", 'https://sgtm.harbourline.example/gtm.js?id='),
      ['https://sgtm.harbourline.example/gtm.js?id=GTM-0A1B2C'],
    ],
    [
      'a snippet with an environment',
      snippet("'GTM-0A1B2C'").replace('+i+dl', "+i+dl+'&gtm_auth=aB-1&gtm_preview=env-2&gtm_cookies_win=x'"),
      [`${GOOGLE_URL}&gtm_auth=aB-1&gtm_preview=env-2`],
    ],
    [
      'the frame',
      `<noscript><iframe src="https://www.googletagmanager.com/ns.html?id=GTM-0A1B2C"></iframe></noscript>`,
      [GOOGLE_URL],
    ],
    [
      'script, snippet and frame once',
      `${script(GOOGLE_URL)}${snippet("'GTM-0A1B2C'")}<iframe src="//www.googletagmanager.com/ns.html?id=GTM-0A1B2C">`,
      [GOOGLE_URL],
    ],
    ['an example id', snippet("'GTM-XXXXXX'"), []],
    ['a snippet in a comment', `<!-- ${snippet("'GTM-0A1B2C'")} -->`, []],
    ['a snippet in a text', `<pre>${snippet("'GTM-0A1B2C'").replaceAll('<', '&lt;')}</pre>`, []],
    ['a snippet in a template', `<template>${snippet("'GTM-0A1B2C'")}</template>`, []],
    ['at most two', [...'123'].map((n) => snippet(`'GTM-0A1B2${n}'`)).join(''), [gtm('GTM-0A1B21'), gtm('GTM-0A1B22')]],
    [
      'a Google tag after tag managers',
      script('https://www.googletagmanager.com/gtag/js?id=G-0A1B2C') + script(GOOGLE_URL),
      [GOOGLE_URL, 'https://www.googletagmanager.com/gtag/js?id=G-0A1B2C'],
    ],
    [
      'Adobe',
      script('https://assets.adobedtm.com/a1/b2/launch-0a1b2c3d4e5f.min.js'),
      ['https://assets.adobedtm.com/a1/b2/launch-0a1b2c3d4e5f.min.js'],
    ],
    [
      'Adobe on the site',
      script('/launch-EN0a1b2c-staging.js'),
      ['https://www.harbourline.example/launch-EN0a1b2c-staging.js'],
    ],
    [
      'Tealium in a snippet',
      `<script>a='//tags.tiqcdn.com/utag/quay/main/prod/utag.js';</script>`,
      ['https://tags.tiqcdn.com/utag/quay/main/prod/utag.js'],
    ],
    [
      'Segment by its key',
      `<script>analytics.load("0a1b2c3d4e5f6a7b");t.src="https://cdn.segment.com/analytics.js/v1/"+k</script>`,
      ['https://cdn.segment.com/v1/projects/0a1b2c3d4e5f6a7b/settings'],
    ],
    [
      'Segment by its script',
      script('https://cdn.segment.com/analytics.js/v1/0a1b2c3d4e5f6a7b/analytics.min.js'),
      ['https://cdn.segment.com/v1/projects/0a1b2c3d4e5f6a7b/settings'],
    ],
    [
      'Matomo',
      `<script>g.src='https://stats.quay.example/js/container_0a1B2c3D.js';</script>`,
      ['https://stats.quay.example/js/container_0a1B2c3D.js'],
    ],
    [
      'Piwik PRO',
      `<script>(function(w,d,l,i){t.src="https://quay.containers.piwik.pro/"+i+".js"})(window, document, 'dataLayer', '01234567-89ab-cdef-0123-456789abcdef')</script>`,
      ['https://quay.containers.piwik.pro/01234567-89ab-cdef-0123-456789abcdef.js'],
    ],
    [
      'Ensighten',
      script('//nexus.ensighten.com/quay/prod/Bootstrap.js'),
      ['https://nexus.ensighten.com/quay/prod/Bootstrap.js'],
    ],
    [
      'Commanders Act',
      script('//cdn.tagcommander.com/4056/tc_Quay_12.js'),
      ['https://cdn.tagcommander.com/4056/tc_Quay_12.js'],
    ],
    [
      'mParticle',
      script('https://jssdkcdns.mparticle.com/js/v2/us1-0a1b2c3d4e5f/mparticle.js'),
      ['https://jssdkcdns.mparticle.com/js/v2/us1-0a1b2c3d4e5f/mparticle.js'],
    ],
  ])('%s', (_, html, expected) => {
    expect(find(html)).toEqual(expected)
  })

  test('are no scripts of the site', () => {
    const { selected } = selectBodies(script('/launch-0a1b2c3d4e5f.min.js') + script('/main.js'), SITE)
    expect(selected.script.map(({ url }) => url.path)).toEqual(['/main.js'])
  })
})

/** Describes the tags that a page reads: kinds, scripts and URLs, with `?` before those under a condition. */
function readTags(input: PageInput): string[] {
  return (buildPage(input).tags ?? []).map(({ kinds, scripts, urls, isConditional }) =>
    [
      isConditional ? '?' : '',
      ...kinds,
      ...scripts.map((text) => `{${text}}`),
      ...new Set(urls.map(({ kind, url }) => `${kind}:${url.href}`)),
    ]
      .filter((part) => part !== '')
      .join(' '),
  )
}

describe('tags of Google Tag Manager', () => {
  const template = [
    50,
    '__cvt_1_2',
    [46, 'a'],
    [52, 'b', ['require', 'injectScript']],
    ['b', 'https://t.quay.example/t.js'],
  ]
  const page = { function: '_cn', arg0: ['macro', 1], arg1: '/shop/' }
  const url = { function: '__u', vtp_component: 'URL' }
  test.each<[name: string, part: Parameters<typeof google>[0], expected: readonly string[]]>([
    ['a kind', { tags: [{ function: '__hjtc' }] }, ['__hjtc']],
    ['paused', { tags: [{ function: '__paused', vtp_originalTagType: 'hjtc' }] }, []],
    [
      'without a trigger',
      {
        tags: [{ function: '__hjtc' }],
        rules: [
          [
            ['if', 0],
            ['add', 7],
          ],
        ],
      },
      [],
    ],
    [
      'after a click',
      {
        tags: [{ function: '__hjtc' }],
        rules: [
          [
            ['if', 1],
            ['add', 0],
          ],
        ],
      },
      ['? __hjtc'],
    ],
    [
      'those of every page first',
      {
        tags: [{ function: '__aaa' }, { function: '__bbb' }],
        rules: [
          [
            ['if', 1],
            ['add', 0],
          ],
          [
            ['if', 0],
            ['add', 1],
          ],
        ],
      },
      ['__bbb', '? __aaa'],
    ],
    [
      'on some pages, of which this is one',
      {
        tags: [{ function: '__hjtc' }],
        macros: [url],
        predicates: [page],
        rules: [
          [
            ['if', 0, 2],
            ['add', 0],
          ],
        ],
      },
      ['__hjtc'],
    ],
    [
      'on other pages',
      {
        tags: [{ function: '__hjtc' }],
        macros: [url],
        predicates: [page],
        rules: [
          [
            ['if', 0],
            ['unless', 2],
            ['add', 0],
          ],
        ],
      },
      ['? __hjtc'],
    ],
    [
      'blocked by something unknown',
      {
        tags: [{ function: '__hjtc' }],
        rules: [
          [
            ['if', 0],
            ['add', 0],
          ],
          [
            ['if', 1],
            ['block', 0],
          ],
        ],
      },
      ['? __hjtc'],
    ],
    ['with consent', { tags: [{ function: '__hjtc', consent: ['list', 'ad_storage'] }] }, ['? __hjtc']],
    [
      'before another one',
      {
        tags: [{ function: '__aaa', setup_tags: ['list', ['tag', 1, 0]] }, { function: '__bbb' }],
        rules: [
          [
            ['if', 0],
            ['add', 0],
          ],
        ],
      },
      ['__aaa', '? __bbb'],
    ],
    [
      'custom HTML, decoded',
      { tags: [{ function: '__html', vtp_html: '<script>load("\\x3cimg src\\x3d//a.quay.example/p\\x3e")</script>' }] },
      ['__html {load("<img src=//a.quay.example/p>")} script:https://a.quay.example/p asset:https://a.quay.example/p'],
    ],
    [
      'scripts and images of custom HTML',
      {
        tags: [
          {
            function: '__html',
            vtp_html: [
              'template',
              '<script data-gtmsrc="https://',
              ['escape', ['macro', 1], 3],
              '/a.js"></script><!-- <img src=/x> --><img src="//c.quay.example/p">',
            ],
          },
        ],
        macros: [{ function: '__c', vtp_value: 'b.quay.example' }],
      },
      ['__html script:https://b.quay.example/a.js asset:https://b.quay.example/a.js asset:https://c.quay.example/p'],
    ],
    [
      'an image',
      { tags: [{ function: '__img', vtp_url: '//c.quay.example/p' }] },
      ['__img asset:https://c.quay.example/p'],
    ],
    [
      'ids of Google tags',
      {
        tags: [
          { function: '__googtag', vtp_tagId: ['macro', 1] },
          { function: '__zone', vtp_childContainers: ['list', ['map', 'publicId', 'AW-0123456']] },
        ],
        macros: [{ function: '__c', vtp_value: 'G-0A1B2C' }],
      },
      ['__googtag google-tag:G', '__zone google-tag:AW'],
    ],
    [
      'a custom template',
      {
        tags: [{ function: '__cvt_1_2' }],
        runtime: [template, [50, '__cvt_9_9', ['https://unused.quay.example/']]],
        permissions: { __cvt_1_2: { inject_script: { urls: ['https://t.quay.example/t.js'] } } },
      },
      [
        '__cvt_1_2 {__cvt_1_2\na\nb\nrequire\ninjectScript\nb\nhttps://t.quay.example/t.js} script:https://t.quay.example/t.js asset:https://t.quay.example/t.js',
      ],
    ],
  ])('%s', (_, part, expected) => {
    expect(readTags({ url: SITE, scripts: [google(part)] })).toEqual(expected)
  })

  test('a cut container keeps its complete tags, under a condition', () => {
    const text = writeGoogle({ tags: [{ function: '__hjtc' }, { function: '__bzi', vtp_id: 'x'.repeat(99) }] })
    expect(readTags({ scripts: [{ url: GOOGLE_URL, text: text.slice(0, text.indexOf('xxx')) }] })).toEqual(['? __hjtc'])
  })

  test.each([
    ['its address', GOOGLE_URL, 'Google Tag Manager GTM-0A1B2C'],
    ['its library', '/files/gtm.js', 'Google Tag Manager GTM-9Z9Z9Z'],
  ])('the name of a container is that of %s', (_, url, name) => {
    const part = { tags: [{ function: '__html', vtp_html: "load('GTM-1111111')" }] }
    expect(buildPage({ url: SITE, scripts: [{ url, text: writeGoogle(part) }] }).tags?.[0].through).toBe(name)
  })

  test('a container is none of the scripts of the site, and a third one is not read', () => {
    const texts = ['aaa', 'bbb', 'ccc'].map((kind) => writeGoogle({ tags: [{ function: `__${kind}` }] }))
    const scripts = texts.map((text, i) => ({ url: `/gtm${i}.js`, text }))
    const page = buildPage({ url: SITE, html: script('/gtm0.js'), scripts: [...scripts, { url: '/a.js', text: 'a' }] })
    expect(page.bundles?.bodies.map(({ url }) => url.path)).toEqual(['/a.js'])
    expect(page.tags?.map(({ kinds }) => kinds[0])).toEqual(['__aaa', '__bbb'])
  })

  test('a container that was not received is a warning', () => {
    const missing = { url: GOOGLE_URL, text: '', missing: 'status 404' }
    expect(buildPage({ scripts: [missing] }).warnings).toEqual(['1 tag container was not read: status 404'])
  })
})

describe('containers of other managers', () => {
  const launch = (rule: string, extensions = 'core:{displayName:"Core"}'): string =>
    `window._satellite=window._satellite||{},window._satellite.container={buildInfo:{},dataElements:{a:{modulePath:"core/src/lib/dataElements/x.js"}},extensions:{${extensions}},rules:[{id:"RL1",name:"Ads",${rule}}]};var t=1;`
  const loaded = 'events:[{modulePath:"core/src/lib/events/libraryLoaded.js",settings:{}}]'
  const matomo = (tag: object, conditions: readonly object[] = []): string =>
    `/* Matomo Tag Manager */Templates['HotjarTag']={};window.MatomoTagManager.addContainer(${JSON.stringify({ id: 'a', tags: [{ parameters: {}, blockTriggerIds: [], fireTriggerIds: [4], ...tag }], triggers: [{ id: 4, type: 'PageView', conditions }] })}, Templates);`
  const utag = (list: string, bundled = ''): string =>
    `//tealium universal tag - utag.loader ut4.0\nvar utag_condload=false;utag.loader.cfg={${list}};\n${bundled}`
  test.each<[name: string, url: string, text: string, expected: readonly string[]]>([
    [
      'Adobe: actions of rules',
      'https://assets.adobedtm.com/a/launch-0a1b2c3d.min.js',
      launch(
        `${loaded},conditions:[],actions:[{modulePath:"adobe-analytics/src/lib/actions/sendBeacon.js",settings:{}}]`,
      ),
      ['launch:adobe-analytics'],
    ],
    [
      'Adobe: custom code, under a condition',
      '/a.js',
      launch(
        `${loaded},conditions:[{modulePath:"core/src/lib/conditions/path.js"}],actions:[{modulePath:"core/src/lib/actions/customCode.js",settings:{source:"<script src='//a.quay.example/x.js'>"}}]`,
      ),
      [
        `? {modulePath:"core/src/lib/actions/customCode.js",settings:{source:"<script src='//a.quay.example/x.js'>"}}]}]};var t=1;} script:https://a.quay.example/x.js asset:https://a.quay.example/x.js`,
      ],
    ],
    [
      'Adobe: extensions whose code is included',
      '/a.js',
      launch(
        `${loaded},conditions:[],actions:[]`,
        '"adobe-mcid":{modules:{"adobe-mcid/src/lib/x.js":{script:function(){}}}},"other-one":{displayName:"x"}',
      ),
      ['launch:adobe-mcid'],
    ],
    [
      'Tealium: templates that are on',
      'https://tags.tiqcdn.com/utag/quay/main/prod/utag.js',
      utag(
        '"3":{load:1,send:1,v:2,wait:1,tid:7117},"4":{load:0,send:1,tid:7115},"5":{load:utag.cond[2],send:1,tid:20010,src:"//a.quay.example/x.js"}',
      ),
      ['utag:7117', '? utag:20010 script:https://a.quay.example/x.js asset:https://a.quay.example/x.js'],
    ],
    [
      'Tealium: code of bundled tags that are on',
      '/utag.js',
      utag(
        '"3":{load:1,send:1},"4":{load:0,send:1}',
        '//tealium universal tag - utag.3 ut4\na()\n//tealium universal tag - utag.4 ut4\nb()\n',
      ),
      ['{//tealium universal tag - utag.3 ut4\na()\n}'],
    ],
    [
      'Segment: integrations of the browser',
      'https://cdn.segment.com/v1/projects/0a1b2c3d4e5f6a7b/settings',
      '{"integrations":{"Hotjar":{"id":1},"Braze":{"versionSettings":{"componentTypes":["server"]}},"Segment.io":{}},"plan":{}}',
      ['segment:Hotjar'],
    ],
    [
      'Segment: an older file',
      'https://cdn.segment.com/analytics.js/v1/0a1b2c3d4e5f6a7b/analytics.min.js',
      '!function(){}();analytics.initialize({"Google Analytics":{"a":"}"},"Segment.io":{}},{})',
      ['segment:Google Analytics'],
    ],
    ['Matomo: a type', '/js/container_0a1B2c3D.js', matomo({ type: 'Hotjar' }), ['matomo:Hotjar']],
    ['Matomo: on some pages', '/js/container_0a1B2c3D.js', matomo({ type: 'Hotjar' }, [{}]), ['? matomo:Hotjar']],
    [
      'Matomo: custom HTML',
      '/x.js',
      matomo({ type: 'CustomHtml', parameters: { customHtml: '<script src="//a.quay.example/x.js"></script>' } }),
      ['matomo:CustomHtml script:https://a.quay.example/x.js asset:https://a.quay.example/x.js'],
    ],
    [
      'Piwik PRO: code',
      'https://quay.containers.piwik.pro/01234567-89ab-cdef-0123-456789abcdef.js',
      '(function(){})({"tags":[{"name":"x","code":"\\u003cimg src=//a.quay.example/p\\u003e"}]})',
      ['? asset:https://a.quay.example/p'],
    ],
    [
      'Ensighten: deployments',
      '//nexus.ensighten.com/quay/prod/Bootstrap.js',
      'var ensightenOptions={};lib("//a.quay.example/lib");Bootstrapper.bindImmediate(function(){a()},1,2);Bootstrapper.bindDependencyDOMParsed(function(){b()});',
      [
        '{Bootstrapper.bindImmediate(function(){a()},1,2);}',
        '? {Bootstrapper.bindDependencyDOMParsed(function(){b()});}',
      ],
    ],
    [
      'Commanders Act: its code',
      '//cdn.tagcommander.com/4056/tc_Quay_12.js',
      '/*\n * tagContainer Generator v82.0\n */a("//a.quay.example/p")',
      [
        '? {/*\n * tagContainer Generator v82.0\n */a("//a.quay.example/p")} script:https://a.quay.example/p asset:https://a.quay.example/p',
      ],
    ],
    [
      'mParticle: kits',
      'https://jssdkcdns.mparticle.com/js/v2/us1-0a1b2c3d4e5f/mparticle.js',
      'window.mParticle.config={"kitConfigs":[{"name":"Amplitude","moduleId":1}]};',
      ['mparticle:Amplitude'],
    ],
    ['something else', '/js/container_0a1B2c3D.js', 'let a = 1', []],
  ])('%s', (_, url, text, expected) => {
    expect(readTags({ url: SITE, scripts: [{ url, text }] })).toEqual(expected)
  })
})

describe('a hostile container', () => {
  const MIB = 1024 * 1024
  const many = (text: string, count: number): string => text.repeat(count)
  const rows: readonly [name: string, text: string][] = [
    ['of 10 MB', writeGoogle({ tags: [{ function: '__html', vtp_html: 'a'.repeat(10 * MIB) }] })],
    ['that nests lists', `{"resource":{"tags":[${many('[', 2 * MIB)}`],
    ['that nests lists which end', `{"resource":{"tags":[${many('[', 400_000)}${many(']', 400_000)}]}}`],
    [
      'with a template that nests lists',
      `{"resource":{"tags":[{"function":"__cvt_1"}],"rules":[[["if"],["add",0]]]},"runtime":[[50,"__cvt_1",${many('[', 300_000)}${many(']', 300_000)}]]}`,
    ],
    ['with escapes without end', `{"resource":{"tags":[{"function":"__html","vtp_html":"${many('\\', 2 * MIB)}`],
    [
      'with a script of escapes',
      writeGoogle({ tags: [{ function: '__html', vtp_html: `<script>${many('\\x5c', 100_000)}` }] }),
    ],
    [
      'with thousands of tags',
      writeGoogle({ tags: Array.from({ length: 20_000 }, () => ({ function: '__html', vtp_html: '<b>' })) }),
    ],
    [
      'that inserts a constant again and again',
      writeGoogle({
        tags: Array.from({ length: 500 }, () => ({
          function: '__html',
          vtp_html: ['template', ...Array(200).fill(['macro', 1])],
        })),
        macros: [{ function: '__c', vtp_value: 'x'.repeat(200) }],
      }),
    ],
    [
      'with addresses alone',
      writeGoogle({ tags: [{ function: '__html', vtp_html: `<script>${many('//a.b.c', 100_000)}` }] }),
    ],
    ['of open objects', `{"resource":{${many('"a":{', 300_000)}`],
    ['of Adobe', `_satellite.container={rules:[{id:"RL${many('modulePath:"a/b",actions:[', 40_000)}`],
    ['of Tealium', `utag_condload;loader.cfg={${many('"1":{load:', 100_000)}`],
    ['of Ensighten', `ensightenOptions${many('Bootstrapper.bindImmediate(', 40_000)}`],
  ]
  test.each(rows)('%s is read within its bounds', (_, text) => {
    const page = buildPage({ url: SITE, scripts: [{ url: '/x.js', text }] })
    const tags = page.tags ?? []
    expect(tags.length).toBeLessThanOrEqual(10_000)
    expect(tags.flatMap(({ scripts }) => scripts).join('').length).toBeLessThanOrEqual(MIB)
  })

  const piece = fc.constantFrom(
    ...[
      '{',
      '}',
      '[',
      ']',
      '"',
      '\\',
      ',',
      ':',
      '//a.b/',
      '<script>',
      '{"resource":{',
      '"tags":[',
      '"rules":[',
      '"runtime":[',
    ],
    ...[
      '_satellite.container={',
      'rules:[{id:"RL',
      'actions:[',
      'modulePath:"a/b"',
      'loader.cfg={',
      '"1":{load:1,tid:22}',
    ],
    ...[
      'MatomoTagManager.addContainer({',
      '{"integrations":{',
      'Bootstrapper.bindImmediate(',
      '"kitConfigs":[',
      '"code":"',
    ],
  )
  test('of any text is read without an error', { tags: ['property'] }, () => {
    const urls = fc.constantFrom(
      ...[GOOGLE_URL, '/x.js', '/utag.js', '/js/container_0a1B2c3D.js', '/launch-0a1b2c3d.js', '/tc_a_1.js'],
      'https://cdn.segment.com/v1/projects/0a1b2c3d4e5f6a7b/settings',
      'https://a.piwik.pro/01234567-89ab-cdef-0123-456789abcdef.js',
    )
    fc.assert(
      fc.property(urls, fc.array(piece, { maxLength: 40 }), (url, pieces) => {
        const href = new URL(url, SITE).href
        const container = readContainer({ href, text: pieces.join('') }, SITE)
        expect(container === null || isContainer(href, pieces.join(''))).toBe(true)
      }),
      { numRuns: countRuns(500) },
    )
  })
})
