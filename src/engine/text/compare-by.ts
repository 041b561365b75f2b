/** Compares by several keys in turn: numbers in descending order, strings in ascending order. */
export function compareBy<T>(...keys: ((item: T) => number | string)[]): (a: T, b: T) => number {
  return (a, b) => {
    for (const key of keys) {
      const x = key(a)
      const y = key(b)
      if (x !== y) return x > y === (typeof x === 'string') ? 1 : -1
    }
    return 0
  }
}
