import type { Place } from '../rule/place.ts'
import type { PageUrl } from '../text/url.ts'
import type { Page } from './page-types.ts'

/** One thing that a detector found. */
export interface Found {
  /** The word of the find: a name, a value, a path or a selector; '' for locators and literals. */
  readonly name: string
  /** The value that is tested. If it is absent, the text of the element `at` is tested. */
  readonly text?: string
  /** The index of its element: two finds in the same element count once. */
  readonly at?: number
  /** The resolved URL, for places whose words are locators. */
  readonly url?: PageUrl
  /** The version that the place found with the value, for places with `hasVersions`. */
  readonly version?: string
  /** The container of a tag manager that adds the value to the page. */
  readonly through?: string
  /** Whether the value is added under a condition that the page does not show. */
  readonly isConditional?: boolean
  /** The amount that counts as the hit, for places with `isAmount`. */
  readonly amount?: number
}

/** The words that rules ask for at one place. A detector looks words up here instead of iterating over them. */
export interface Wanted {
  /** Whether a rule asks for this name, or for a path that begins with it. Case is ignored. */
  has(word: string): boolean
  /** Finds the selectors that the element `at` matches. */
  selectors(page: Page, at: number): readonly string[]
}

/** A plugin that reads one place of a page. It defines where to look; the engine decides what matches. */
export interface Detector extends Place {
  /** Yields the values of the page that a rule asks for. Its cost depends on the page, not on the number of rules. */
  read(page: Page, wanted: Wanted): Iterable<Found>
  /** Whether the input contains this place for this word. Without this member, the place is always seen. */
  seen?(page: Page, word: string): boolean
}
