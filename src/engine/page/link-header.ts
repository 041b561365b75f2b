import type { Page } from './page-types.ts'

/** A link of a `Link` header (RFC 8288). */
export interface HeaderLink {
  /** As written, which may be relative to the URL of the response. */
  readonly target: string
  /** The tokens of its `rel`, in lower case. */
  readonly rel: readonly string[]
}

/** The target and the parameters of a link. A comma ends it unless it is quoted. */
const LINK = /<([^<>]*)>((?:[^,"]|"[^"]*")*)/g
/** A parameter, whose value may be quoted. */
const PARAMETER = /;\s*([\w*-]+)\s*=\s*(?:"([^"]*)"|([^\s;,"]*))/g

/** Reads the links of all `Link` headers. A malformed link is skipped, as browsers do; the first `rel` of a link counts. */
export function* readLinkHeaders(headers: Page['headers']): Generator<HeaderLink> {
  for (const [name, value] of headers ?? [])
    if (name === 'link')
      for (const [, target, parameters] of value.matchAll(LINK)) {
        const rel = readRel(parameters)
        if (rel !== null) yield { target: target.trim(), rel: rel.toLowerCase().split(/\s+/).filter(Boolean) }
      }
}

function readRel(parameters: string): string | null {
  for (const [, name, quoted, bare] of parameters.matchAll(PARAMETER))
    if (name.toLowerCase() === 'rel') return quoted ?? bare
  return null
}
