// Formatters are created once: a call of `toLocaleDateString` creates one each time, and a page has a hundred dates.
const NUMBERS = new Intl.NumberFormat('en')
const MONTHS = new Intl.DateTimeFormat('en-GB', { month: 'long', year: 'numeric', timeZone: 'UTC' })
const DAYS = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'long', timeZone: 'UTC' })

/** Formats a number with its unit: "1 request", "1,250 requests". */
export function formatCount(count: number, unit: string): string {
  return `${formatNumber(count)} ${unit}${count === 1 ? '' : 's'}`
}

export function formatNumber(number: number): string {
  return NUMBERS.format(number)
}

/** Formats a month (`YYYY-MM`) such as "November 2026". */
export function formatMonthName(month: string): string {
  return MONTHS.format(new Date(`${month}-01T00:00:00Z`))
}

/** Formats a day (`YYYY-MM-DD`) such as "3 May". */
export function formatDayName(day: string): string {
  return DAYS.format(new Date(`${day}T00:00:00Z`))
}
