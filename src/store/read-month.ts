const DAY_PATTERN = /^(\d{4}-(?:0[1-9]|1[0-2]))-(?:0[1-9]|[12]\d|3[01])$/

/**
 * Reads the billing month (`YYYY-MM`) of a day.
 * @param day `YYYY-MM-DD`
 * @throws RangeError if the text is not a day
 */
export function readMonth(day: string): string {
  const [, month] = DAY_PATTERN.exec(day) ?? []
  if (month === undefined) throw new RangeError(`not a day: ${JSON.stringify(day)}`)
  return month
}
