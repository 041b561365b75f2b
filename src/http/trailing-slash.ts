/**
 * Finds where a request whose path ends with slashes is redirected to: the same URL without them.
 * @param url path and query, such as `/api/v1/scan/?url=…`
 * @param basePath from `findBasePath`
 * @returns null if there is nothing to remove, or if browsers would take the path for the address of another host
 */
export function findSlashless(url: string, basePath = ''): string | null {
  const [path] = url.split('?', 1)
  if (!path.endsWith('/') || /^\/[/\\]/.test(path)) return null
  let end = path.length
  while (path[end - 1] === '/') end--
  return end === 0 ? null : basePath + path.slice(0, end) + url.slice(path.length)
}

/** The path below which a proxy serves the service, such as `/siteprint`; usually empty. The proxy removes it from requests. */
export function findBasePath(publicUrl: string | null): string {
  return publicUrl === null ? '' : new URL(publicUrl).pathname.replace(/\/$/, '')
}
