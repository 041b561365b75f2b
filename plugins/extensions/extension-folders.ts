/**
 * The folders from which systems serve the files of their extensions, by system and kind. A `*` stands for the name of the
 * extension, two of them for a vendor and a name, and `~` for any folder. The first one is the usual one.
 *
 * Craft CMS is absent: it publishes the files of plugins under a hash (`/cpresources/1f3b2c/`), which does not name them.
 *
 * Sources: https://developer.wordpress.org/plugins/plugin-basics/determining-plugin-and-content-directories/,
 * https://www.drupal.org/docs/extending-drupal/installing-modules, https://docs.joomla.org/Extension_types_(general_definitions),
 * https://docs.typo3.org/m/typo3/reference-coreapi/11.5/en-us/ExtensionArchitecture/, https://devdocs.prestashop-project.org/8/modules/,
 * https://docs.opencart.com/developer/module/, https://developer.adobe.com/commerce/frontend-core/guide/themes/structure/,
 * https://moodledev.io/docs/apis/plugintypes, https://www.mediawiki.org/wiki/Manual:Extensions,
 * https://area51.phpbb.com/docs/dev/3.3.x/extensions/, https://docs.octobercms.com/3.x/extend/plugins.html,
 * https://developer.shopware.com/docs/guides/plugins/plugins/storefront/
 */
export const FOLDERS: Readonly<Record<string, readonly string[]>> = {
  'wordpress/plugins': ['/wp-content/plugins/*'],
  'wordpress/themes': ['/wp-content/themes/*'],
  'drupal/modules': [
    '/modules/contrib/*',
    '/sites/all/modules/contrib/*',
    '/sites/all/modules/*',
    '/sites/default/modules/*',
  ],
  'drupal/themes': [
    '/themes/contrib/*',
    '/sites/all/themes/contrib/*',
    '/sites/all/themes/*',
    '/sites/default/themes/*',
  ],
  'joomla/components': ['/components/com_*', '/media/com_*'],
  'joomla/modules': ['/modules/mod_*', '/media/mod_*'],
  'joomla/plugins': ['/media/plg_*', '/plugins/system/*', '/plugins/content/*'],
  'joomla/templates': ['/templates/*', '/media/templates/site/*'],
  'typo3/extensions': ['/typo3conf/ext/*'],
  'prestashop/modules': ['/modules/*'],
  'opencart/themes': ['/catalog/view/theme/*'],
  'opencart/extensions': ['/extension/*/catalog/view'],
  'magento/themes': ['/static/frontend/*/*', '/skin/frontend/*/*'],
  'magento/modules': ['/static/frontend/~/~/~/*'],
  'moodle/themes': ['/theme/styles.php/*', '/theme/image.php/*'],
  'mediawiki/extensions': ['/extensions/*'],
  'mediawiki/skins': ['/skins/*'],
  'phpbb/extensions': ['/ext/*/*'],
  'phpbb/styles': ['/styles/*'],
  'october/plugins': ['/plugins/*/*/assets'],
  'october/themes': ['/themes/*/assets'],
  'shopware/plugins': ['/bundles/*'],
}

/** A folder, by its segments: a literal, a beginning that the name follows, or null for any. */
interface Folder {
  readonly kind: string
  readonly segments: readonly (string | { readonly before: string } | null)[]
}

/** Folders by their first segment. */
const BY_FIRST_SEGMENT = indexFolders()

function indexFolders(): ReadonlyMap<string, readonly Folder[]> {
  const index = new Map<string, Folder[]>()
  for (const [kind, templates] of Object.entries(FOLDERS))
    for (const template of templates) {
      const [first, ...rest] = template.slice(1).split('/')
      const segments = rest.map((part) =>
        part === '~' ? null : part.endsWith('*') ? { before: part.slice(0, -1) } : part,
      )
      index.set(first, [...(index.get(first) ?? []), { kind, segments }])
    }
  return index
}

/** The deployment version in addresses of Magento 2: `/static/version1616161616/frontend/`. */
const DEPLOYMENT = /\/static\/version\d+\//

/** Lists the extensions that the path of a file may belong to, as system, kind and name. */
export function readExtensions(path: string): readonly string[] {
  const found: string[] = []
  if (!mayHaveFolder(path)) return found
  const segments = path.replace(DEPLOYMENT, '/static/').split('/')
  for (let at = 1; at < segments.length - 1; at++)
    for (const folder of BY_FIRST_SEGMENT.get(segments[at]) ?? []) {
      const names = matchFolder(folder, segments, at + 1)
      if (names !== null) found.push(`${folder.kind}/${names.join('/')}`)
    }
  return found
}

/** Whether a path has the first segment of a folder. Most have none. */
function mayHaveFolder(path: string): boolean {
  for (let from = 1, to = path.indexOf('/', 1); to >= 0; from = to + 1, to = path.indexOf('/', from))
    if (BY_FIRST_SEGMENT.has(path.slice(from, to))) return true
  return false
}

/** Returns the names at the stars of a folder; null if the path has another folder. A file must follow it. */
function matchFolder({ segments: wanted }: Folder, path: readonly string[], from: number): readonly string[] | null {
  if (from + wanted.length >= path.length) return null
  const names: string[] = []
  for (const [i, segment] of wanted.entries()) {
    const actual = path[from + i]
    if (actual === '') return null
    if (typeof segment === 'string') {
      if (actual !== segment) return null
    } else if (segment !== null) {
      if (!actual.startsWith(segment.before) || actual === segment.before) return null
      names.push(actual.slice(segment.before.length))
    }
  }
  return names
}
