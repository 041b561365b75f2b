import { parseUrl } from '../../text/parse-url.ts'
import { commander, ensighten } from './code-containers.ts'
import type { Container, ContainerFormat } from './container-types.ts'
import { particle, segment } from './customer-data.ts'
import { googleTag, tagManager } from './google.ts'
import { launch } from './launch.ts'
import { matomo, piwikPro } from './matomo.ts'
import { tealium } from './tealium.ts'

/** The formats of containers, the most informative first: a page reads two containers at most. */
const FORMATS: readonly ContainerFormat[] = [
  tagManager,
  launch,
  tealium,
  ensighten,
  commander,
  piwikPro,
  matomo,
  segment,
  particle,
  googleTag,
]
/** Number of characters at the beginning of a file by which a container is recognized. */
const HEAD_CHARACTERS = 4096

/** Gives the scheme of addresses in snippets that have none. `.invalid` is reserved (RFC 2606). */
const SECURE_BASE = 'https://container.invalid/'

/** A container that a page loads. */
export interface ContainerAddress {
  /** The file that lists the tags. */
  readonly href: string
  /** The file that the page loads; the same, unless a manager lists the tags in another one. */
  readonly loaded: string
}

/**
 * Finds the containers that a page loads by the addresses of its scripts and frames, and by its inline scripts: one for each address, the most
 * informative first.
 * @param addresses resolved URLs
 */
export function findContainers(addresses: readonly string[], snippets: readonly string[]): ContainerAddress[] {
  const found = new Map<string, { readonly rank: number; readonly container: ContainerAddress }>()
  const add = (href: string): void => {
    const url = parseUrl(href, SECURE_BASE)
    const rank = url === null ? -1 : FORMATS.findIndex(({ findId }) => findId(url) !== null)
    if (url === null || rank < 0) return
    const list = FORMATS[rank].findList?.(url) ?? url.href
    if (!found.has(list)) found.set(list, { rank, container: { href: list, loaded: url.href } })
  }
  for (const address of addresses) add(address)
  for (const script of snippets) for (const { findInSnippet } of FORMATS) findInSnippet(script).forEach(add)
  return [...found.values()].sort((a, b) => a.rank - b.rank).map(({ container }) => container)
}

/** Whether a script is the container of a tag manager, by its address or by its first characters. */
export function isContainer(href: string, text: string): boolean {
  return findFormat(parseUrl(href), text) !== null
}

/** Reads a container. @returns null if the file is not in the format of a manager */
export function readContainer(
  file: { readonly href: string; readonly text: string },
  address: string | null,
): Container | null {
  const url = parseUrl(file.href)
  const format = findFormat(url, file.text)
  return format?.read({ text: file.text, id: (url && format.findId(url)) ?? '', address }) ?? null
}

function findFormat(url: URL | null, text: string): ContainerFormat | null {
  const byAddress = url && FORMATS.find(({ findId }) => findId(url) !== null)
  if (byAddress) return byAddress
  const head = text.slice(0, HEAD_CHARACTERS)
  return FORMATS.find((format) => format.isContainer(head)) ?? null
}
