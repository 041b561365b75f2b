import { readdir, readFile, realpath, stat } from 'node:fs/promises'
import { basename, dirname, extname, join, relative, sep } from 'node:path'
import type { SavedFile } from '../../browser/saved-network.ts'
import { parseUrl } from '../../engine/text/parse-url.ts'
import type { PageInput } from '../../index.ts'

/** Finds a file that was saved with a page, by its absolute URL without fragment; null if it was not saved. */
export type FindFile = (url: string) => Promise<SavedFile | null>

/** Address of a page whose own is not known. It exists nowhere (RFC 2606). */
export const UNKNOWN_PAGE = 'https://page.invalid/'

/** Finds the scripts and style sheets of a page. */
export function findBodies({ url, scripts, styles }: PageInput): FindFile {
  const files = new Map<string, SavedFile>()
  const add = (bodies: PageInput['scripts'], type: string): void => {
    for (const { url: address, text, missing } of bodies ?? []) {
      const file = parseUrl(address, url ?? UNKNOWN_PAGE)
      if (file !== null && missing === undefined && !files.has(readKey(file)))
        files.set(readKey(file), { body: text, type })
    }
  }
  add(scripts, 'text/javascript; charset=utf-8')
  add(styles, 'text/css; charset=utf-8')
  return async (wanted) => files.get(wanted) ?? null
}

function readKey(url: URL): string {
  url.hash = ''
  return url.href
}

/** Content types of files that a browser saves. Others are only bytes to a page. */
const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.download': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json',
  '.html': 'text/html',
  '.htm': 'text/html',
  '.svg': 'image/svg+xml',
  '.wasm': 'application/wasm',
}
const MAX_FILE_BYTES = 20 * 1024 * 1024

/**
 * Finds the files of a page that a browser has saved as a whole: those in the folder next to it that is named after it, such as
 * `page_files` or `page.files`. No other file of the machine can be requested.
 * @param html name of the file of the page
 * @param url its address
 */
export async function openFolder(html: string, url: string): Promise<FindFile> {
  const folder = dirname(html)
  const stem = basename(html, extname(html))
  const names = (await readdir(folder, { withFileTypes: true }))
    .filter(
      (entry) =>
        entry.isDirectory() && entry.name.startsWith(stem) && /^[._-]\p{L}+$/u.test(entry.name.slice(stem.length)),
    )
    .map(({ name }) => name)
  const roots = await Promise.all(names.map(async (name) => ({ name, path: await realpath(join(folder, name)) })))
  const base = new URL('.', url).href
  return async (wanted) => {
    if (!wanted.startsWith(base)) return null
    const path = decodePath(wanted.slice(base.length).split('?', 1)[0])
    const root = roots.find(({ name }) => path?.startsWith(`${name}/`))
    return root === undefined || path === null ? null : await readWithin(root.path, path.slice(root.name.length + 1))
  }
}

function decodePath(path: string): string | null {
  try {
    return decodeURIComponent(path)
  } catch {
    return null
  }
}

/** Reads a file, unless it is outside of the folder, for example by a symbolic link. */
async function readWithin(folder: string, path: string): Promise<SavedFile | null> {
  try {
    const file = await realpath(join(folder, path))
    const inner = relative(folder, file)
    if (inner === '' || inner === '..' || inner.startsWith(`..${sep}`)) return null
    const { size } = await stat(file)
    if (size > MAX_FILE_BYTES) return null
    return { body: await readFile(file), type: TYPES[extname(file).toLowerCase()] ?? 'application/octet-stream' }
  } catch {
    return null
  }
}
