import { test } from 'vitest'
import { buildPage } from '/work/main/src/engine/page.ts'
import { detect, loadRuleset } from '/work/main/src/index.ts'
const M = 4*2**20
test('t', async () => {
  const ruleset = await loadRuleset()
  const cases: [string,string][] = [
    ['500 centers, one text', '<center>'.repeat(500)+'x '.repeat(M/2-3000)],
    ['500 centers, many texts', '<center>'.repeat(500)+'<br>'.repeat(M/4-2000)],
    ['500 h1', '<h1>'.repeat(500)+'x '.repeat(M/2-3000)],
    ['h1 in div x250', '<div><h1>'.repeat(250)+'x &amp;'.repeat(M/7-3000)],
    ['address', '<address>'.repeat(500)+'Server at '.repeat(M/10-2000)],
    ['address2', '<address>'.repeat(500)+'<i> Server at '.repeat(M/14-2000)],
    ['a bear', '<footer>'+'<a href="https://bearblog.dev/">x'.repeat(120000)],
    ['styles', '<style>a{}</style>'.repeat(M/18|0)],
    ['inline', '<script>a()</script>'.repeat(M/20|0)],
    ['p style', '<p style="background:url(a)">'.repeat(M/30|0)],
    ['forms pw', '<form><input type=password>'.repeat(M/30|0)],
    ['classes', '<div class="a b c d"><p id=x>'.repeat(M/30|0)],
    ['links', '<link rel=stylesheet href=/a>'.repeat(M/30|0)],
    ['links distinct', Array.from({length: M/30|0},(_,i)=>`<link rel=stylesheet href=/${i}>`).join('')],
    ['titles', '<svg><title>x</title></svg>'.repeat(M/30|0)],
    ['rel tokens', `<link href=/x rel="${'a '.repeat(M/2-100)}">`],
    ['rel icon tokens', `<link href=/x rel="${'icon '.repeat(M/5-100)}">`],
    ['metas distinct', Array.from({length: M/35|0},(_,i)=>`<meta name=generator content=a${i}>`).join('')],
    ['data- el', '<div data-a=1 data-b=2 data-elementor-type=x>'.repeat(M/46|0)],
  ]
  for (const [name, html] of cases) { const t = performance.now(); const p = buildPage({ html, url: 'https://e.com/' }); const t2 = performance.now(); const v = detect(ruleset, p); const t3=performance.now(); v.evidence; console.log(name, Math.round(t2 - t), Math.round(t3-t2), Math.round(performance.now()-t3)) }
}, 300000)
