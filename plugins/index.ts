import type { Detector } from '../src/engine/page/detector.ts'
import { anchor } from './anchor.ts'
import { asset } from './asset.ts'
import { bundle } from './bundle.ts'
import { comment } from './comment.ts'
import { cookie } from './cookie.ts'
import { dns } from './dns.ts'
import { element } from './element.ts'
import { extension } from './extension.ts'
import { favicon } from './favicon.ts'
import { file } from './file.ts'
import { frame } from './frame.ts'
import { global } from './global.ts'
import { header } from './header.ts'
import { html } from './html.ts'
import { inline } from './inline.ts'
import { jsonld } from './jsonld.ts'
import { label } from './label.ts'
import { link } from './link.ts'
import { meta } from './meta.ts'
import { network } from './network.ts'
import { npm } from './npm.ts'
import { robots } from './robots.ts'
import { script } from './script.ts'
import { size } from './size.ts'
import { status } from './status.ts'
import { style } from './style.ts'
import { stylesheet } from './stylesheet.ts'
import { suffix } from './suffix.ts'
import { tag } from './tag.ts'
import { text } from './text.ts'
import { title } from './title.ts'
import { tls } from './tls.ts'
import { url } from './url.ts'

/** The detectors of all places, from the cheapest to the most expensive to read. */
export const detectors: readonly Detector[] = [
  url,
  suffix,
  header,
  cookie,
  status,
  dns,
  tls,
  network,
  meta,
  title,
  jsonld,
  script,
  asset,
  npm,
  file,
  extension,
  frame,
  link,
  element,
  comment,
  inline,
  style,
  robots,
  favicon,
  anchor,
  label,
  text,
  html,
  size,
  stylesheet,
  bundle,
  tag,
  global,
]
