import { findHeader } from './find-header.ts'
import type { Page } from './page-types.ts'

/** Elements that show something, or bring it. */
const SHOWING = new Set('audio canvas embed frame frameset iframe img input object picture script svg video'.split(' '))

/**
 * Whether a document shows nothing and has no script that could. One with a title is a page whose content is missing, such as the
 * template of an application. A body that is not known is not empty.
 */
export function isEmpty({ html, text, title, tape, headers }: Page): boolean {
  if (html === '') return findHeader(headers, 'content-length') === '0'
  if (!/html/i.test(findHeader(headers, 'content-type') ?? 'html')) return false
  return text.trim() === '' && !title && !tape.tags.some((tag) => SHOWING.has(tag))
}
