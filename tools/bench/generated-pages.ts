import type { PageInput } from '../../src/index.ts'

const WORDS =
  'harbour market garden winter station letter paper river window morning summer kitchen road light water story people house music'.split(
    ' ',
  )

/** Generates pages with the size and structure of ordinary ones (about 20 to 200 kB), the same in each run. */
export function generatePages(count: number): PageInput[] {
  return Array.from({ length: count }, (_, n) => {
    let seed = n * 7919 + 17
    const next = (below: number): number => {
      seed = (seed * 1103515245 + 12345) % 2147483648
      return seed % below
    }
    const words = (many: number): string => Array.from({ length: many }, () => WORDS[next(WORDS.length)]).join(' ')
    const host = `www.site-${n}.example`
    const cards = Array.from(
      { length: 20 + next(180) },
      (_, i) =>
        `<article class="card card-${i % 7} u-${next(50)}" data-id="${i}"><a href="/posts/${i}-${words(1)}"><img src="https://img.${host}/${i}.jpg" srcset="/a-${i}.jpg 1x, /b-${i}.jpg 2x" alt="${words(3)}"></a><h2>${words(5)}</h2><p>${words(30)} &amp; more.</p></article>`,
    )
    const scripts = Array.from(
      { length: 3 + next(8) },
      (_, i) =>
        `<script src="/assets/app-${i}.js?v=${n}" defer></script><script>var s${i} = ${JSON.stringify(words(200))};</script>`,
    )
    return {
      url: `https://${host}/`,
      status: 200,
      headers: { 'content-type': 'text/html; charset=utf-8', server: 'httpd' },
      html: `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${words(4)}</title><meta name="description" content="${words(15)}"><link rel="stylesheet" href="/main.css"><style>body{margin:0;background:url(/bg.png)}</style>${scripts.join('')}</head><body><nav><ul>${words(
        8,
      )
        .split(' ')
        .map((word) => `<li><a href="/${word}">${word}</a>`)
        .join('')}</ul></nav><main>${cards.join('\n')}</main></body></html>`,
    }
  })
}
