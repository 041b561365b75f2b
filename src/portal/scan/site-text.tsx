import { makeVisible } from '../../engine/text/visible-text.ts'

interface SiteTextProps {
  readonly text: string
  readonly maxCharacters?: number
  readonly kind?: 'version' | 'match'
}

/** A text of a scanned site: cut, without control characters, breaking anywhere, and without effect on the text around it. */
export function SiteText({ text, maxCharacters, kind }: SiteTextProps) {
  return <bdi class={kind === undefined ? 'site-text' : `site-text ${kind}`}>{makeVisible(text, maxCharacters)}</bdi>
}
