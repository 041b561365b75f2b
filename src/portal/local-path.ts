/** Its host is never requested: paths are only resolved against it. */
const ANY_ORIGIN = 'http://local.invalid'

/**
 * Parses the path of a page of this service. Browsers read `//host`, `/\host` and control characters in a path as the address
 * of another host.
 * @returns path and query; null for anything else
 */
export function parseLocalPath(text: string): string | null {
  if (!/^\/(?![/\\])[!-[\]-~]*$/.test(text) || !URL.canParse(text, ANY_ORIGIN)) return null
  const { origin, pathname, search } = new URL(text, ANY_ORIGIN)
  // Removing `/..` may bring two slashes to the front. /logout is not a page.
  const isPage = origin === ANY_ORIGIN && !pathname.startsWith('//') && pathname !== '/logout'
  return isPage ? pathname + search : null
}

/** Builds the address of the log-in page, which redirects to a page of this service after log-in. */
export function buildLoginPath(next: string | null, path: '/login' | '/signup' = '/login'): string {
  return next === null ? path : `${path}?next=${encodeURIComponent(next)}`
}
