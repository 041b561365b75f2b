import { collapse } from '../text/text.ts'
import { findTemplateContent, readAttribute, readText } from './element.ts'
import { JsonLdParser } from './jsonld.ts'
import type { Page, Tape } from './page-types.ts'

// Parents of a document's title. Titles elsewhere belong to an SVG.
const TITLE_PARENTS = new Set<string | undefined>(['head', 'html', 'body', undefined])

const JSON_LD = /^\s*application\/ld\+json\b/i
// Types of blocks that are never code. Consent tools and loaders keep scripts under any other type, such as `text/template`.
const DATA_TYPES = /json|importmap|speculationrules/i

/** Collects the elements whose whole text is one value: title, inline scripts, style sheets and JSON-LD. */
export function collectBlocks(tape: Tape, warnings: string[]): Pick<Page, 'title' | 'scripts' | 'styles' | 'jsonld'> {
  const blocks = {
    title: null as string | null,
    scripts: [] as string[],
    styles: [] as string[],
  }
  const jsonld = new JsonLdParser()
  const isInTemplate = findTemplateContent(tape)
  for (let at = 0; at < tape.tags.length; at++) {
    const tag = tape.tags[at]
    if (isInTemplate(at)) continue
    if (tag === 'title' && TITLE_PARENTS.has(tape.tags[tape.parents[at]])) blocks.title ??= collapse(readText(tape, at))
    else if (tag === 'style') blocks.styles.push(readText(tape, at))
    else if (tag === 'script' && readAttribute(tape, at, 'src') === undefined) {
      const type = readAttribute(tape, at, 'type') ?? ''
      if (JSON_LD.test(type)) jsonld.add(readText(tape, at))
      else if (!DATA_TYPES.test(type)) blocks.scripts.push(readText(tape, at))
    }
  }
  warnings.push(...jsonld.warnings)
  return { ...blocks, jsonld: jsonld.blocks }
}
