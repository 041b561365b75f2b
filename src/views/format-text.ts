// Formatters are created once, because a page has a hundred dates, and on first use: the first one of a process loads the data of its
// language, a fiftieth of the start of a service that may never serve a page.
let numbers: Intl.NumberFormat | undefined
let months: Intl.DateTimeFormat | undefined
let days: Intl.DateTimeFormat | undefined

/** Formats a number with its unit: "1 request", "1,250 requests". */
export function formatCount(count: number, unit: string): string {
  return `${formatNumber(count)} ${unit}${count === 1 ? '' : 's'}`
}

export function formatNumber(number: number): string {
  numbers ??= new Intl.NumberFormat('en')
  return numbers.format(number)
}

/** Formats a month (`YYYY-MM`) such as "November 2026". */
export function formatMonthName(month: string): string {
  months ??= new Intl.DateTimeFormat('en-GB', { month: 'long', year: 'numeric', timeZone: 'UTC' })
  return months.format(new Date(`${month}-01T00:00:00Z`))
}

/** Formats a day (`YYYY-MM-DD`) such as "3 May". */
export function formatDayName(day: string): string {
  days ??= new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'long', timeZone: 'UTC' })
  return days.format(new Date(`${day}T00:00:00Z`))
}
