/** An address that a tag requests, as it is written. */
export interface TagUrl {
  readonly kind: 'script' | 'asset' | 'frame'
  readonly url: string
}

/** A tag of a container that can run. */
export interface ContainerTag {
  /** What kind of tag it is, in the words of its manager: `__hjtc`, `utag:7117`. */
  readonly kinds: readonly string[]
  /** HTML that it adds to the page. */
  readonly html: string
  /** JavaScript that it runs. */
  readonly code: string
  readonly urls: readonly TagUrl[]
  /** Whether it waits for something that the page does not show: a click, a consent, another page. */
  readonly isConditional: boolean
}

/** The container of a tag manager, as it was read. */
export interface Container {
  /** The manager and the id of the container: `Google Tag Manager GTM-0A1B2C`. */
  readonly name: string
  readonly tags: readonly ContainerTag[]
}

/** What is known about a file that may be a container. */
export interface ContainerSource {
  readonly text: string
  /** The id of the container in its address; '' if its address names none. */
  readonly id: string
  /** The URL of the page; null if it is unknown. */
  readonly address: string | null
}

/** How one tag manager names and writes its containers. */
export interface ContainerFormat {
  /** Finds the id in the address of a container. @returns null if the file is none */
  readonly findId: (url: URL) => string | null
  /** Finds the addresses of containers that an inline script loads. */
  readonly findInSnippet: (script: string) => readonly string[]
  /** The address of the file that lists the tags, if it is not the container itself. */
  readonly findList?: (url: URL) => string | null
  /** Whether a file is a container, by its first characters. */
  readonly isContainer: (head: string) => boolean
  /** Reads what the tags name. @returns null if the file is not in the format */
  readonly read: (source: ContainerSource) => Container | null
}

/** Maximum number of tags of a container that are read. The largest of 34 containers of public sites has 1,066. */
export const MAX_TAGS = 5000
/** Maximum number of characters of HTML and code of all tags of a container together. */
export const MAX_TAG_CHARACTERS = 1024 * 1024
