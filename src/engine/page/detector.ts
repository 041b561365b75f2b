import type { Place } from '../rule/place.ts'
import type { PageUrl } from '../text/url.ts'
import type { Page } from './page-types.ts'

/** One thing that a detector found. */
export interface Found {
  /** The word it stands for: a name, a value, a path, a selector; '' for locators and literals. */
  readonly name: string
  /** The value that tests look at; absent = the text of the element `at`. */
  readonly text?: string
  /** The element it stands in: two finds of one element count once. */
  readonly at?: number
  /** Of a locator place: the URL, where the page has resolved it already. */
  readonly url?: PageUrl
  /** Of a counting place: the hit itself. */
  readonly amount?: number
}

/** What the rules ask of one place, made by the index: a detector looks a word up here, it never loops over words. */
export interface Wanted {
  /** Whether a rule asks for this name (or for a path that goes on from here). Case is ignored. */
  has(word: string): boolean
  /** The selectors that the element `at` fits. */
  selectors(page: Page, at: number): readonly string[]
}

/** A plugin: reads one place of a page. It says where to look; the engine decides what matches. */
export interface Detector extends Place {
  /** Yields what the page has and a rule asks for. Its cost depends on the page, not on the number of rules. */
  read(page: Page, wanted: Wanted): Iterable<Found>
  /** Whether the place was looked at for this word. A place without this member is always looked at. */
  seen?(page: Page, word: string): boolean
}
