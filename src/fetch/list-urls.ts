const SCHEME = /^[a-z][a-z\d+.-]*:\/\//i
/** A host with a dot, optionally with a port and a path: a site written without `https://`. */
const BARE = /^[^\s/?#@:\\.]+(?:\.[^\s/?#@:\\.]+)+\.?(?::\d+)?(?:[/?#]\S*)?$/
/** The port of HTTP after a bare host: a server does not speak TLS there. */
const HTTP_PORT = /^[^/?#]*:80(?:[/?#]|$)/

/** Whether a text is a domain without a scheme, such as `example.org/shop`. */
export function isBareSite(text: string): boolean {
  return BARE.test(text)
}

/**
 * Lists the URLs to try for an entry of a list: `https://` and then `http://` for a bare domain, only `http://` with port 80, otherwise
 * the text itself.
 */
export function listUrls(text: string): readonly [string, string?] {
  const trimmed = text.trim()
  if (SCHEME.test(trimmed) || !BARE.test(trimmed)) return [text]
  return HTTP_PORT.test(trimmed) ? [`http://${trimmed}`] : [`https://${trimmed}`, `http://${trimmed}`]
}
