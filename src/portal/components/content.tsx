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

/** Short names and values, one pair in a line: a plan and its limits, for example. */
export function Facts({ facts }: { readonly facts: readonly (readonly [name: string, value: ComponentChildren])[] }) {
  return (
    <dl class="facts">
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}

/** A time in UTC, to the minute; with `day`, only its date. */
export function DateTime({ at, unit = 'minute' }: { readonly at: Date; readonly unit?: 'minute' | 'day' }) {
  const text = at.toISOString()
  return (
    <time dateTime={text}>{unit === 'day' ? text.slice(0, 10) : `${text.slice(0, 16).replace('T', ' ')} UTC`}</time>
  )
}
