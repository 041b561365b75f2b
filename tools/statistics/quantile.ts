export function median(values: readonly number[]): number {
  return quantile(values, 0.5)
}

/** Finds the value below which a share of all values lies. @param values at least one */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]
}
