import type { Detector, Found } from '../src/engine/page/detector.ts'
import type { Page } from '../src/engine/page/page-types.ts'
import type { PageUrl } from '../src/engine/text/url.ts'
import { readBanners } from './packages/banner.ts'
import { readImportMaps } from './packages/import-map.ts'
import { readPackages } from './packages/package-address.ts'

/** `name` or `@scope/name`, as npm accepts it (validate-npm-package-name), also the older names with capitals. */
const PACKAGE = '^(?:@[a-z0-9~-][a-z0-9._~-]*/)?[A-Za-z0-9~-][A-Za-z0-9._~-]*$'

export const npm: Detector = {
  key: 'npm',
  about:
    'A package of npm that the page loads, by its name: from jsDelivr, unpkg, cdnjs, esm.sh, Skypack, JSPM or `node_modules`, ' +
    'in an import map, or named by the licence comment of a script of the site',
  family: 'loaded',
  word: 'value',
  wordForm: { says: 'the name of an npm package: swiper or @scope/name, without version and path', pattern: PACKAGE },
  hasVersions: true,
  *read(page, wanted) {
    const seen = new Set<PageUrl>()
    for (const { kind, url, at } of page.urls) {
      if (kind === 'anchor' || kind === 'frame' || seen.has(url)) continue
      seen.add(url)
      for (const { name, version } of readPackages(url))
        if (wanted.has(name)) yield { name, text: url.href, url, at, version }
    }
    yield* readWritten(page, (name) => wanted.has(name))
  },
  example: (name) => ({
    hits: [`/npm/${name}@1.2.3/dist/index.js`, `/node_modules/${name}/index.js`],
    misses: [
      `/npm/${name}0@1.2.3/dist/index.js`,
      `/npm/${name.slice(0, name.lastIndexOf('/') + 1)}my-${name.slice(name.lastIndexOf('/') + 1)}/index.js`,
      `/files/${name}.txt`,
    ],
  }),
}

/** Finds packages that the code of the page names. */
function* readWritten(page: Page, isWanted: (name: string) => boolean): Iterable<Found> {
  for (const { name, address, version } of readImportMaps(page))
    if (isWanted(name)) yield { name, text: `import map: ${address}`, version }
  for (const body of page.bundles?.bodies ?? [])
    for (const { name, version, text } of readBanners(body.text))
      if (isWanted(name)) yield { name, text: `${body.url.href}: ${text}`, version }
}
