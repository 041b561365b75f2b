import type { Rendered } from '../browser/render-types.ts'
import type { PageInput } from '../engine/page/page-input.ts'
import type { Site } from '../fetch/fetch.ts'

/** Selects what rules read of a fetched site. */
export function toPageInput(site: Site): PageInput {
  const { url, status, headers, html, dns, tls, address, robots, favicon, scripts, styles } = site
  return { url, status, headers, html, dns, tls, address, robots, favicon, scripts, styles }
}

/** Puts what a browser shows of a page in the place of its HTML. Everything else is as it was fetched. */
export function addRendered(input: PageInput, { url, html, loaded, cookies, globals }: Rendered): PageInput {
  return {
    ...input,
    url,
    html,
    loaded,
    cookies: Object.fromEntries(cookies.map(({ name, value }) => [name, value])),
    globals: Object.fromEntries(globals.map(({ name, text }) => [name, text])),
  }
}
