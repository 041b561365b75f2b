import { readAttribute, readText } from './element.ts'
import type { Parsed, Tape } from './page-types.ts'
import { isInert, readTags, type TagAttributes, type WantedTags } from './tag-reader.ts'
import { INERT } from './tags.ts'

/**
 * Maximum number of characters of a document in which links are searched: this takes 6 ms, and up to 25 ms on a hostile
 * page.
 */
export const MAX_LINK_CHARACTERS = 1024 * 1024
/** Maximum number of links of all kinds together that are read. */
const MAX_LINKS = 1000
/** Maximum number of inline scripts that are searched for containers. */
const MAX_SNIPPETS = 1000
/** The frame of Google Tag Manager for browsers without scripts. */
const FRAME_OF_CONTAINER = /\/ns\.html\?((?:[\w-]{1,20}=[\w-]{0,64}&){0,4}id=GTM-[A-Z0-9]{4,12})/
const SCRIPT_ATTRIBUTES: ReadonlySet<string> = new Set(['src', 'type', 'nomodule'])
const LINK_ATTRIBUTES: ReadonlySet<string> = new Set(['href', 'rel', 'disabled'])
const WANTED: WantedTags = new Map([
  ['script', SCRIPT_ATTRIBUTES],
  ['link', LINK_ATTRIBUTES],
  ['base', new Set(['href'])],
  ['iframe', new Set(['src'])],
])

/** The tags of a document that can link to a script, a style sheet or a container of a tag manager, in document order. */
export interface LinkTags {
  readonly tags: readonly { readonly isScript: boolean; readonly attributes: TagAttributes }[]
  /** Addresses of frames that name a container. */
  readonly frames: readonly string[]
  /** Texts of inline scripts. */
  readonly snippets: readonly string[]
  readonly baseHref: string | undefined
}

class LinkTagCollector implements LinkTags {
  readonly tags: LinkTags['tags'][number][] = []
  readonly frames: string[] = []
  readonly snippets: string[] = []
  baseHref: string | undefined

  /** @returns false once there are as many as are read */
  addTag(tag: string, attributes: TagAttributes): boolean {
    const isScript = tag === 'script'
    if (tag === 'base') this.baseHref ??= attributes.get('href')
    else if (tag === 'iframe') this.#addFrame(attributes.get('src') ?? '')
    else if (attributes.has(isScript ? 'src' : 'rel')) this.tags.push({ isScript, attributes })
    return this.tags.length < MAX_LINKS
  }

  /** Adds the address of the script for which the frame of a tag manager stands where scripts are off. */
  #addFrame(src: string): void {
    const found = FRAME_OF_CONTAINER.exec(src)
    if (found !== null && this.frames.length < MAX_LINKS) this.frames.push(src.replace(found[0], `/gtm.js?${found[1]}`))
  }

  get wantsSnippets(): boolean {
    return this.snippets.length < MAX_SNIPPETS
  }

  addSnippet(text: string): void {
    if (this.wantsSnippets) this.snippets.push(text)
  }
}

/** Reads the tags from the text of a document, which the fetch thread does: a tape takes up to ten times as long. */
export function readLinkTags(html: string): LinkTags {
  const found = new LinkTagCollector()
  const visit = (tag: string, attributes: TagAttributes): boolean => found.addTag(tag, attributes)
  readTags(html.slice(0, MAX_LINK_CHARACTERS), WANTED, visit, (text) => found.addSnippet(text))
  return found
}

/**
 * Reads the same tags from the tape of a document of at most `MAX_LINK_CHARACTERS`.
 * @returns null if the tape is not complete, or if the reader of single tags may see another end of a `<noscript>`, `<template>` or `<svg>`
 */
export function collectLinkTags({ tape, warnings, hasUnclosed }: Parsed): LinkTags | null {
  if (warnings.length > 0 || hasUnclosed) return null
  const { tags, parents } = tape
  const found = new LinkTagCollector()
  /** Name of the outermost inert element around each element, or of itself. */
  const inert: string[] = []
  for (let at = 0; at < tags.length; at++) {
    const tag = tags[at]
    const outer = inert[parents[at]] ?? ''
    if (tag === 'noscript' && outer === tag) return null
    inert.push(outer === '' && INERT.has(tag) ? tag : outer)
    const names = WANTED.get(tag)
    if (names === undefined || isInert(outer, tag)) continue
    const attributes = readAttributes(tape, at, names)
    if (!found.addTag(tag, attributes)) break
    if (tag === 'script' && !attributes.has('src') && found.wantsSnippets) found.addSnippet(readText(tape, at))
  }
  return found
}

function readAttributes(tape: Tape, at: number, names: ReadonlySet<string>): TagAttributes {
  const attributes = new Map<string, string>()
  for (const name of names) {
    const value = readAttribute(tape, at, name)
    if (value !== undefined) attributes.set(name, value)
  }
  return attributes
}
