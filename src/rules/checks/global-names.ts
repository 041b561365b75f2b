import { readFileSync } from 'node:fs'
import { isCommon } from './code-words.ts'

/** Names that scripts of many sites give to properties of `window` and of objects there, in lower case. */
const COMMON_NAMES = new Set(
  `accordion ajax animate api app apps args base body build builder cache callback carousel cart client code collapse common component
  components config configuration constants content context controller core count countdown css current custom data datalayer
  datepicker debug default defaults dialog document draggable dropdown droppable editor element elements env error errors event events
  exports facebook factory fields file files filter flags font form forms framework func function functions gallery global globals
  google handler handlers helper helpers history home html id image images img index info init instance item items json key keys lang
  language lazy lib library lightbox list load loaded loader local locale log logger login main manager map mask member menu message
  messages meta methods modal model module modules my name namespace nav news object options opts page pages parallax param params
  parser path player plugin plugins popup post product products project prototype push queue rating ready registry release render
  request require resizable results root route router script scripts scroll search selectable send server service services session
  settings shop show site slider sortable start state status sticky storage store string style support system tabs tag template
  templates test text theme timer title toggle token tool tools tooltip track tracker tracking translations type types ui update url
  urls user users util utilities utils val validate value values vars vendor vers version view views web website widget window wp zoom`.split(
    /\s+/,
  ),
)

/** Minimum number of characters of a name that is the whole path, and of one in lower case, which short scripts use too. */
const MIN_LENGTH = 4
const MIN_LOWER_CASE_LENGTH = 5
/** The object of plugins of jQuery, whose names must be specific without it. */
const PLUGIN = /^jQuery\.fn\./

let windowNames: ReadonlySet<string> | undefined

/**
 * Whether many sites have such a property of `window`: the browser defines it (tools/common-words.ts writes the list), or it is so short
 * or usual that scripts of any kind define it.
 * @param path from `window`, such as `Shopify.theme`
 */
export function isCommonGlobal(path: string): boolean {
  windowNames ??= new Set(readFileSync(new URL('window-names.txt', import.meta.url), 'utf8').split('\n'))
  const [first] = path.split('.', 1)
  if (windowNames.has(first)) return true
  const names = path.replace(PLUGIN, '').split('.')
  return path === first ? isCommonAlone(path) : names.every(isCommonBelow)
}

function isCommonAlone(name: string): boolean {
  if (name.length < MIN_LENGTH || COMMON_NAMES.has(name.toLowerCase())) return true
  return /^[a-z]+$/.test(name) && (name.length < MIN_LOWER_CASE_LENGTH || isCommon(name))
}

/** A name with a digit, such as `d3`, is rarely that of anything else. */
function isCommonBelow(name: string): boolean {
  return COMMON_NAMES.has(name.toLowerCase()) || (name.length < MIN_LENGTH - 1 && !/\d/.test(name))
}
