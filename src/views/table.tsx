import type { ComponentChildren } from 'preact'

interface TableProps {
  readonly caption: string
  /** Headings of the columns. */
  readonly head: readonly string[]
  /** The first cell of a row is its heading. A row has as many cells as the head. */
  readonly rows: readonly (readonly ComponentChildren[])[]
  /** Indexes of columns with numbers, which are aligned at their end. */
  readonly numeric?: readonly number[]
  /** Whether the caption is only for screen readers, because a heading in front of the table says the same. */
  readonly hasHiddenCaption?: boolean
}

/** A table that scrolls inside its container if it is too wide. */
export function Table({ caption, head, rows, numeric = [], hasHiddenCaption = false }: TableProps) {
  const nameCell = (column: number): string | undefined => (numeric.includes(column) ? 'number' : undefined)
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable with the keyboard
    <section class="table" aria-label={caption} tabIndex={0}>
      <table>
        <caption class={hasHiddenCaption ? 'hidden' : undefined}>{caption}</caption>
        <thead>
          <tr>
            {head.map((title, column) => (
              <th key={title} scope="col" class={nameCell(column)}>
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(([heading, ...cells], row) => (
            <tr key={row}>
              <th scope="row" class={nameCell(0)}>
                {heading}
              </th>
              {cells.map((cell, i) => (
                <td key={i} class={nameCell(i + 1)}>
                  {cell}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}
