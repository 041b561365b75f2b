import type { Detector, Found } from '../src/engine/page/detector.ts'
import { squeeze } from '../src/engine/text/text.ts'
import type { PageUrl } from '../src/engine/text/url.ts'

const CODE_FILE = /^(.+)\.(m?js|cjs|css)$/i
/** `min`, also with the four digits that HTTrack appends: `.mine63c`. */
const MINIFIED = /[.-]min(?:[0-9a-f]{4})?$/i
/** A digest of the content: `-5d071c902a95`, `.0397cbb14e5d`. */
const DIGEST = /[.-](?=[a-f]*\d)[0-9a-f]{8,64}$/i
/** Digests, versions and `min` follow one of these characters. */
const MAY_HAVE_MORE = /[-._@]/
/** Kinds of builds that follow a version: `-1.8.23.custom`, `-3.7.1.slim`. */
const BUILD_KINDS = new Set(
  'all bundle compat compressed custom dev esm full lite module pack packed prod production slim umd yc'.split(' '),
)
const FOLDER_VERSION = /^(?:(.*?)[-@])?v?(\d+\.\d+(?:\.\d+)*)(?:[.-][a-z]+)?$/i

export const file: Detector = {
  key: 'file',
  about:
    'A script or style sheet that the page loads, by the name of its file without version and `min`: `swiper.js` also finds ' +
    '`swiper.min.js` and `swiper-11.0.5.min.js`',
  family: 'loaded',
  word: 'value',
  wordForm: {
    says: 'the name of a file that ends in .js, .mjs, .cjs or .css, without folder, version and .min',
    pattern: '^(?!.*\\d\\.\\d{1,9}\\.\\w{2,3}$)(?!.*[.-]min\\.\\w{2,3}$)[^/\\s*?#]+\\.(?:m?js|cjs|css)$',
  },
  hasVersions: true,
  read({ urls }, wanted) {
    const found: Found[] = []
    const seen = new Set<PageUrl>()
    for (const { kind, url, at } of urls) {
      if (kind !== 'asset' || seen.has(url)) continue
      seen.add(url)
      const { name, version } = readFileName(url.path)
      if (name === '' || !wanted.has(name)) continue
      found.push({ name, text: url.href, url, at, version: version ?? readFolderVersion(url.path, name) })
    }
    return found
  },
  example: (name) => {
    const [, stem, ending] = CODE_FILE.exec(name) ?? ['', name, 'js']
    return {
      hits: [`/assets/${name}`, `/assets/${stem}-1.2.3.min.${ending}`],
      misses: [`/assets/my${name}`, `/assets/${name}.png`, `/assets/${name}/logo.svg`],
      also: /^jquery[.-]/i.test(name) ? ['jquery'] : [],
    }
  },
}

/** Reads the name of a script or style sheet and its version from a path; the name is '' for other files. */
function readFileName(path: string): { readonly name: string; readonly version?: string } {
  const [, written, ending] = CODE_FILE.exec(path.slice(path.lastIndexOf('/') + 1)) ?? []
  if (written === undefined) return { name: '' }
  if (!MAY_HAVE_MORE.test(written)) return { name: `${written}.${ending}` }
  const stem = written.replace(DIGEST, '').replace(MINIFIED, '')
  const version = findVersion(stem)
  const name = version === null ? stem : stem.slice(0, version.start).replace(MINIFIED, '')
  return name === '' ? { name: '' } : { name: `${name}.${ending}`, version: version?.text }
}

/**
 * Finds the version at the end of a name without its ending: at least two numbers, after one of `- . _ @` and perhaps a `v`. A pattern
 * would take quadratic time on a name of many numbers.
 * @returns the version, and where the character before it is
 */
function findVersion(stem: string): { readonly start: number; readonly text: string } | null {
  const end = findEndOfVersion(stem)
  const starts: number[] = []
  for (let at = end; ; ) {
    let from = at
    while (from > 0 && isDigit(stem, from - 1)) from--
    if (from === at) break
    starts.unshift(from)
    if (stem[from - 1] !== '.') break
    at = from - 1
  }
  for (const from of starts.slice(0, -1)) {
    const start = from - (/v/i.test(stem[from - 1] ?? '') ? 2 : 1)
    if (start >= 0 && '-._@'.includes(stem[start])) return { start, text: stem.slice(from, end) }
  }
  return null
}

/** Finds where a version would end: before the kinds of builds. */
function findEndOfVersion(stem: string): number {
  let end = stem.length
  for (;;) {
    const at = Math.max(stem.lastIndexOf('.', end - 1), stem.lastIndexOf('-', end - 1))
    if (at < 0 || !BUILD_KINDS.has(stem.slice(at + 1, end).toLowerCase())) return end
    end = at
  }
}

function isDigit(text: string, at: number): boolean {
  const code = text.charCodeAt(at)
  return code >= 48 && code <= 57
}

/** Minimum number of letters and digits of a folder that is named like its file. */
const MIN_FOLDER_NAME = 3

/**
 * Reads the version from a folder of a file, if the file is named like it: `/swiper-11.0.5/js/swiper.min.js`,
 * `/swiper/11.0.5/swiper.js`. Other numbers are those of the page's own builds.
 */
function readFolderVersion(path: string, name: string): string | undefined {
  const folders = path.split('/').slice(1, -1)
  for (let i = folders.length - 1; i >= 0; i--) {
    const match = FOLDER_VERSION.exec(folders[i])
    if (match === null) continue
    const owner = squeeze(match[1] === undefined ? (folders[i - 1] ?? '') : match[1])
    const stem = squeeze(name.replace(CODE_FILE, '$1'))
    const isNamedAlike = owner.length >= MIN_FOLDER_NAME && (stem.includes(owner) || owner.includes(stem))
    return isNamedAlike ? match[2] : undefined
  }
  return undefined
}
