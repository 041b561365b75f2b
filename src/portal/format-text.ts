/** Formats a number with its unit: "1 request", "1,250 requests". */
export function formatCount(count: number, unit: string): string {
  return `${formatNumber(count)} ${unit}${count === 1 ? '' : 's'}`
}

export function formatNumber(number: number): string {
  return number.toLocaleString('en')
}

/** Formats a month (`YYYY-MM`) such as "November 2026". */
export function formatMonthName(month: string): string {
  return new Date(`${month}-01T00:00:00Z`).toLocaleDateString('en-GB', {
    month: 'long',
    year: 'numeric',
    timeZone: 'UTC',
  })
}

/** Formats a day (`YYYY-MM-DD`) such as "3 May". */
export function formatDayName(day: string): string {
  return new Date(`${day}T00:00:00Z`).toLocaleDateString('en-GB', { day: 'numeric', month: 'long', timeZone: 'UTC' })
}
