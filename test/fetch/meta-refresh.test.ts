import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readAttribute } from '../../src/engine/page/element.ts'
import { buildTape } from '../../src/engine/page/tape.ts'
import { findMetaRefreshes } from '../../src/fetch/meta-refresh.ts'
import { countRuns } from '../support/property-runs.ts'

const META = '<meta http-equiv=refresh content=0>'
const find = (html: string): string[] => findMetaRefreshes(Buffer.from(html, 'latin1'))

describe('a refresh in', () => {
  test.each<[html: string, contents: readonly string[]]>([
    [META, ['0']],
    [META.toUpperCase(), ['0']],
    ['<meta content="0" http-equiv="refresh"/>', ['0']],
    ["<meta\nHTTP-EQUIV\t=\n' refresh '\ncontent='0'>", ['0']],
    ['<meta http-equiv=refresh content="0;url=/a?b&amp;c">', ['0;url=/a?b&c']],
    ['<meta http-equiv=refresh content=1 content=2>', ['1']],
    ['<meta http-equiv=refresh http-equiv=other content=1>', ['1']],
    ['<meta http-equiv=other http-equiv=refresh content=1>', []],
    ['<meta http-equiv=refresh content>', ['']],
    ['<meta http-equiv=refresh>', []],
    ['<meta http-equiv=refreshing content=0>', []],
    ['<metas http-equiv=refresh content=0>', []],
    ['<a http-equiv=refresh><b content=0>', []],
    [`${META}${META.replace('0', '1')}`, ['0', '1']],
    [`<body><div><p>${META}`, ['0']],
    [`<!--${META}-->`, []],
    [`<title>${META}</title>`, []],
    [`<script>${META}</script>`, []],
    [`<style>${META}</style>`, []],
    [`<textarea>${META}</textarea>${META}`, ['0']],
    [`<noscript>${META}</noscript>`, []],
    [`<NOSCRIPT>${META}</NoScript>${META}`, ['0']],
    [`<noscript><noscript>${META}</noscript>${META}`, ['0']],
    [`<div><noscript></div>${META}`, []],
    [`<template>${META}</template>`, []],
    [`<template><template></template>${META}</template>${META}`, ['0']],
    [`<template><noscript></template>${META}`, ['0']],
    [`</noscript></template>${META}`, ['0']],
    [`${' '.repeat(65_536)}${META}`, []],
    [`${' '.repeat(65_536 - META.length)}${META}`, ['0']],
  ])('%s', (html, contents) => {
    expect(find(html)).toEqual(contents)
  })
})

/** An earlier implementation, based on the tree of the page. The results are equal if elements are closed in order. */
function findInTape(html: string): string[] {
  const { tape } = buildTape(html)
  return tape.tags.flatMap((tag, at) => {
    if (tag !== 'meta' || readAttribute(tape, at, 'http-equiv')?.trim().toLowerCase() !== 'refresh') return []
    for (let up = tape.parents[at]; up >= 0; up = tape.parents[up])
      if (tape.tags[up] === 'noscript' || tape.tags[up] === 'template') return []
    return readAttribute(tape, at, 'content') ?? []
  })
}

test('the results agree with the tree of the page', { tags: ['property'] }, () => {
  const { tree } = fc.letrec<{ tree: string }>((tie) => ({
    tree: fc.oneof(
      { maxDepth: 4 },
      fc.constantFrom(
        META,
        '<meta content=" 0; url=&quot;/a" http-equiv=" Refresh">',
        '<meta charset=utf-8>',
        'x',
        '<!--<a>-->',
      ),
      fc.constantFrom(
        '<script>"<meta http-equiv=refresh content=1>"</script>',
        '<br>',
        '<img http-equiv=refresh content=2>',
      ),
      fc
        .tuple(fc.constantFrom('div', 'template', 'noscript', 'b', 'span'), fc.array(tie('tree'), { maxLength: 4 }))
        .map(([tag, inner]) => `<${tag}>${inner.join('')}</${tag}>`)
        .filter((html) => !/<noscript>.*<noscript>/.test(html)),
    ),
  }))
  fc.assert(
    fc.property(fc.array(tree), (parts) => {
      expect(find(parts.join(''))).toEqual(findInTape(parts.join('')))
    }),
    { numRuns: countRuns(500) },
  )
})
