import type { ComponentChildren } from 'preact'

interface FactsProps {
  readonly facts: readonly (readonly [name: string, value: ComponentChildren])[]
  /** Whether the facts are a block with a border, and not part of one. */
  readonly isCard?: boolean
}

/** Short names and values, one pair in a line: a plan and its limits, for example. */
export function Facts({ facts, isCard = false }: FactsProps) {
  return (
    <dl class={isCard ? 'card facts' : 'facts'}>
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}
