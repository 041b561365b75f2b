import type { ComponentChildren } from 'preact'

interface CardProps {
  readonly title?: string
  readonly children: ComponentChildren
}

/** A block of a page with a border. */
export function Card({ title, children }: CardProps) {
  return (
    <section class="card">
      {title !== undefined && <h2>{title}</h2>}
      {children}
    </section>
  )
}

/** A time in UTC, to the minute; with `day`, only its date. */
export function DateTime({ at, unit = 'minute' }: { readonly at: Date; readonly unit?: 'minute' | 'day' }) {
  const text = at.toISOString()
  return (
    <time dateTime={text}>{unit === 'day' ? text.slice(0, 10) : `${text.slice(0, 16).replace('T', ' ')} UTC`}</time>
  )
}
