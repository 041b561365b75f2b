import type { Detector, Found } from '../src/engine/page/detector.ts'
import type { PageUrl } from '../src/engine/text/url.ts'
import { FOLDERS, readExtensions } from './extensions/extension-folders.ts'

const KINDS = Object.keys(FOLDERS)
/** WordPress and others append the version of the extension to its files, so that browsers load them again after an update. */
const VERSION = /[?&]ver=(\d+\.\d+(?:\.\d+)*)/

export const extension: Detector = {
  key: 'extension',
  about:
    'A plugin, theme or module of a system, by the folder that the site loads its files from: `wordpress/plugins/akismet`. ' +
    `Folders: ${KINDS.join(', ')}`,
  family: 'loaded',
  word: 'value',
  wordForm: {
    says: 'system, kind and name of an extension: wordpress/plugins/akismet',
    pattern: `^(?:${KINDS.join('|')})/[^/\\s*?#]+(?:/[^/\\s*?#]+)?$`,
  },
  hasVersions: true,
  from: 'own',
  read({ urls }, wanted) {
    const found: Found[] = []
    const seen = new Set<PageUrl>()
    for (const { kind, url, at } of urls) {
      if (kind !== 'asset' || seen.has(url)) continue
      seen.add(url)
      for (const name of readExtensions(url.path))
        if (wanted.has(name)) found.push({ name, text: url.href, url, at, version: VERSION.exec(url.href)?.[1] })
    }
    return found
  },
  example: (word) => {
    const kind = KINDS.find((one) => word.startsWith(`${one}/`)) ?? ''
    const name = word.slice(kind.length + 1)
    const build = (one: string): string => FOLDERS[kind][0].replace('*', one)
    return {
      hits: [`${build(name)}/css/style.css?ver=1.2.3`, `/shop${build(name)}/js/main.js`],
      misses: [
        `${build(`${name}0`)}/css/style.css`,
        `https://neighbour.example${build(name)}/css/style.css`,
        `/uploads/${name}.png`,
      ],
      also: [kind.slice(0, kind.indexOf('/'))],
    }
  },
}
