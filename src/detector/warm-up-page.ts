import type { PageInput } from '../engine/page/page-input.ts'

/** Repetitions, after which V8 has compiled most of what reads a page. */
const CARDS = 30
const WORDS = 'harbour market garden winter station letter paper river window morning summer kitchen'

/** Builds a page with something at most places where rules look, of the size of an ordinary one. */
export function buildWarmUpPage(): PageInput {
  const cards = Array.from(
    { length: CARDS },
    (_, i) =>
      `<article class="card card-${i % 7}" data-id="${i}"><a href="/posts/${i}-a"><img src="https://img.example.com/${i}.jpg" srcset="/a-${i}.jpg 1x" alt="a"></a><h2>${WORDS}</h2><p>${WORDS} &amp; more.</p></article>`,
  )
  const scripts = Array.from(
    { length: 4 },
    (_, i) => `<script src="/assets/app-${i}.js?v=1" defer></script><script>var s${i} = "${WORDS}";</script>`,
  )
  return {
    url: 'https://example.com/',
    status: 200,
    headers: { server: 'a', 'set-cookie': 'a=b', 'content-type': 'text/html; charset=utf-8' },
    scripts: [{ url: '/a', text: `a;${WORDS}` }],
    styles: [{ url: '/a', text: 'a' }],
    html: `<!doctype html><html lang="en"><title>a</title><meta name=a content=a><link rel=a href=/a><link rel="stylesheet" href="/main.css">
      <script src=/a></script><script>a</script><style>a{background:url(/a.png)}</style>${scripts.join('')}
      <script type="application/ld+json">{"@type":"a"}</script><body><!-- a --><a href=/a><img src=/a></a><iframe src=/a></iframe>
      <main>${cards.join('\n')}</main>`,
  }
}
