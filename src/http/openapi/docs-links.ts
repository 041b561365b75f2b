/** Files of the page `/docs` that show links above the reference. */
interface DocsLinks {
  readonly js: string
  readonly css: string
}

/**
 * Builds the links of `/docs`: to the portal, and to the documents that the page displays. They are added by a script, because the
 * HTML of the page comes from a library.
 */
export function buildDocsLinks({
  basePath,
  hasPortal,
}: {
  readonly basePath: string
  readonly hasPortal: boolean
}): DocsLinks {
  const links = [
    ...(hasPortal ? [['Portal', '/']] : []),
    ['/openapi.json', '/openapi.json'],
    ['/openapi-1.json (revision 1)', '/openapi-1.json'],
  ].map(([text, path]) => [text, `${basePath}${path}`])
  return { js: SCRIPT.replace('LINKS', () => JSON.stringify(links)), css: STYLE }
}

const SCRIPT = `'use strict'
const bar = document.createElement('nav')
bar.className = 'docs-links'
bar.setAttribute('aria-label', 'Siteprint')
for (const [text, href] of LINKS) {
  const link = document.createElement('a')
  link.textContent = text
  link.href = href
  bar.append(link)
}
document.body.prepend(bar)
`

const STYLE = `.docs-links {
  display: flex;
  flex-wrap: wrap;
  gap: 8px 24px;
  max-width: 1460px;
  margin: 0 auto;
  padding: 16px 20px 0;
  font: 16px/1.5 sans-serif;
}
.docs-links a {
  color: #1a56b0;
}
`
