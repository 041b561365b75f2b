import type { PageInput } from '../../engine/page/page.ts'
import { escapeHtml } from '../../rules/wrap-fragment.ts'
import type { PagePart } from './trait.ts'

/** Builds a page of an invented company that shows parts of the scanned page and nothing else of it. */
export function buildTestPage(parts: readonly PagePart[], name: string): PageInput {
  const head = parts.flatMap((part) => part.head ?? [])
  const body = parts.flatMap((part) => part.body ?? [])
  const headers = parts.flatMap((part) => (part.header ? [part.header] : []))
  const urls = parts.flatMap((part) => part.url ?? [])
  const cname = parts.flatMap((part) => part.dns?.cname ?? [])
  const isBare = head.length === 0 && body.length === 0
  return {
    ...(urls.length > 0 && { url: urls[0] }),
    ...(headers.length > 0 && { headers }),
    ...(cname.length > 0 && { dns: { cname } }),
    ...(!isBare && { html: buildHtml(head, body, name) }),
  }
}

function buildHtml(head: readonly string[], body: readonly string[], name: string): string {
  const lines = [
    '<!doctype html>',
    '<html lang="en">',
    '<head>',
    '  <meta charset="utf-8">',
    '  <title>Harbour Books, new and old</title>',
    ...head.map((line) => `  ${line}`),
    '</head>',
    '<body>',
    '  <h1>Harbour Books</h1>',
    '  <p>Three rooms of second-hand novels, open from Tuesday to Saturday.</p>',
    ...body.map((line) => `  ${line}`),
    ...(name === '' ? [] : [`  <p>Our shelves are listed by author.</p>`]),
    '</body>',
    '</html>',
  ]
  return `${lines.join('\n')}\n`
}

/** Builds an article about the product, in which words of its rule are only text. `sentence` may be a placeholder. */
export function buildNearMiss(words: readonly string[], name: string, sentence: string): PageInput {
  const quoted = words.map((word) => `<code>${escapeHtml(word)}</code>`).join(', ')
  const lines = [
    '<!doctype html>',
    '<html lang="en">',
    '<head>',
    '  <meta charset="utf-8">',
    `  <title>${escapeHtml(name)}, half a year later</title>`,
    '</head>',
    '<body>',
    `  <h1>What we learned about ${escapeHtml(name)}</h1>`,
    `  <p>${escapeHtml(sentence)}</p>`,
    ...(quoted === '' ? [] : [`  <p>Its pages contain ${quoted}.</p>`]),
    '</body>',
    '</html>',
  ]
  return { html: `${lines.join('\n')}\n` }
}
