/**
 * Removes the slashes at the end of the path of a URL such as `/api/v1/scan/?url=…`.
 * @param url path and query
 * @returns null if there is nothing to remove, or if browsers would take the path for the address of another host
 */
export function removeTrailingSlash(url: string): string | null {
  const [path] = url.split('?', 1)
  if (!path.endsWith('/') || /^\/[/\\]/.test(path)) return null
  let end = path.length
  while (path[end - 1] === '/') end--
  return end === 0 ? null : path.slice(0, end) + url.slice(path.length)
}
