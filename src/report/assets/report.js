// Makes tables searchable and sortable, and shows one page of rows at a time. The report works without this script.
const ROWS_PER_PAGE = 100
const collator = new Intl.Collator('en', { numeric: true, sensitivity: 'base' })
const numbers = new Intl.NumberFormat('en')

for (const container of document.querySelectorAll('[data-sortable]')) enhance(container)

function enhance(container) {
  const heads = [...container.querySelectorAll('thead th')]
  const input = container.querySelector('input')
  const rows = [...container.querySelector('tbody').rows].map((row) => ({ row, text: row.textContent.toLowerCase() }))
  const show = createPages(container)
  const search = () => {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean)
    show(rows.filter(({ text }) => words.every((word) => text.includes(word))))
  }
  const sort = (column) => {
    const isReversed = heads[column].getAttribute('aria-sort') === 'ascending'
    for (const head of heads) head.removeAttribute('aria-sort')
    heads[column].setAttribute('aria-sort', isReversed ? 'descending' : 'ascending')
    sortRows(rows, column, isReversed ? -1 : 1)
    search()
  }
  for (const [column, head] of heads.entries()) addButton(head, () => sort(column))
  input.addEventListener('input', search)
  container.querySelector('.tools').hidden = false
  search()
}

/** Returns a function that shows the first page of rows. Buttons turn the pages. */
function createPages(container) {
  const body = container.querySelector('tbody')
  const scroller = container.querySelector('.table')
  const status = container.querySelector('[role=status]')
  const pager = container.querySelector('.pager')
  const [previous, next] = pager.querySelectorAll('button')
  let rows = []
  let first = 0
  const show = () => {
    const page = rows.slice(first, first + ROWS_PER_PAGE)
    const last = first + page.length
    body.replaceChildren(...page.map(({ row }) => row))
    const range = `${numbers.format(first + 1)} to ${numbers.format(last)} of ${numbers.format(rows.length)}`
    status.textContent = page.length === 0 ? 'Nothing found' : range
    previous.disabled = first === 0
    next.disabled = last === rows.length
    pager.hidden = rows.length <= ROWS_PER_PAGE
  }
  const turn = (by) => {
    first += by
    show()
    scroller.scrollTop = 0
    scroller.scrollIntoView({ block: 'nearest' })
  }
  previous.addEventListener('click', () => turn(-ROWS_PER_PAGE))
  next.addEventListener('click', () => turn(ROWS_PER_PAGE))
  return (wanted) => {
    rows = wanted
    first = 0
    show()
  }
}

/** Makes the heading of a column a button. */
function addButton(head, onClick) {
  const button = document.createElement('button')
  button.type = 'button'
  button.append(...head.childNodes)
  button.addEventListener('click', onClick)
  head.append(button)
}

/** Sorts rows by a column. Empty cells come last in both directions, and equal rows keep their order. */
function sortRows(rows, column, direction) {
  for (const item of rows) {
    const cell = item.row.cells[column]
    item.value = cell.dataset.sort ?? cell.textContent.trim()
  }
  rows.sort((a, b) => {
    if (a.value === '' || b.value === '') return Number(a.value === '') - Number(b.value === '')
    return collator.compare(a.value, b.value) * direction
  })
}
