/** Classes are the columns of the table, whose rows a shift finds. */
export const CLASS_BITS = 5
/**
 * Number of classes of bytes. Rare bytes share a class, so that a row of 16-bit states fills one line of the processor's cache:
 * scans take 70 to 90 % of the time that they take with a class for each byte and 32-bit states.
 */
const CLASSES = 2 ** CLASS_BITS
/** Number of bytes that have a class of their own: the most frequent ones in literals. All others share the other classes. */
const UNSHARED_CLASSES = 24

/** The states of an automaton that finds literals by the classes of their bytes (Aho-Corasick). 0 is the first state. */
export interface AutomatonTable {
  /** Class by byte; 0 for bytes that occur in no literal. */
  readonly classOf: Uint8Array
  /** Next state by state and class. States in which literals end come last. */
  readonly next: Uint16Array | Uint32Array
  /** The first state in which literals end. */
  readonly firstEnd: number
  /** The next state on the suffix chain in which literals end; 0 for none. */
  readonly shorter: Uint32Array
}

/** The table with the numbers of the literals that end in each state. */
export interface BuiltTable extends AutomatonTable {
  readonly ends: readonly (readonly number[])[]
}

/** Builds the table of literals, given as UTF-8 in lower case. */
export function buildTable(literals: readonly Uint8Array[]): BuiltTable {
  const classOf = assignClasses(literals)
  const trie = buildTrie(literals, classOf)
  const { shorter, speaks } = linkSuffixes(trie)
  return { classOf, ...renumber({ ...trie, shorter }, speaks) }
}

interface Trie {
  /** Child by state and class; 0 where there is none. */
  readonly next: Uint32Array
  /** Numbers of the literals that end in a state. */
  readonly ends: readonly (readonly number[])[]
}

const NO_ENDS: readonly number[] = []

/** Assigns classes to the bytes of literals, the most frequent bytes first. */
function assignClasses(literals: readonly Uint8Array[]): Uint8Array {
  const counts = new Map<number, number>()
  for (const bytes of literals) for (const byte of bytes) counts.set(byte, (counts.get(byte) ?? 0) + 1)
  const ordered = [...counts].sort(([a, often], [b, other]) => other - often || a - b)
  const classOf = new Uint8Array(256)
  const shared = CLASSES - 1 - UNSHARED_CLASSES
  for (const [i, [byte]] of ordered.entries()) {
    classOf[byte] = 1 + (i < UNSHARED_CLASSES ? i : UNSHARED_CLASSES + (i % shared))
    if (byte >= 97 && byte <= 122) classOf[byte - 32] = classOf[byte]
  }
  return classOf
}

/** Builds the trie level by level, so that the rows near the root, which a scan reads most, are close to each other. */
function buildTrie(literals: readonly Uint8Array[], classOf: Uint8Array): Trie {
  const mostStates = literals.reduce((sum, bytes) => sum + bytes.length, 1)
  const next = new Uint32Array(mostStates * CLASSES)
  const ends: (readonly number[])[] = [NO_ENDS]
  const states = new Uint32Array(literals.length)
  let left = [...literals.keys()]
  for (let depth = 0; left.length > 0; depth++)
    left = left.filter((i) => {
      const bytes = literals[i]
      const state = states[i]
      if (depth === bytes.length) {
        ends[state] = [...ends[state], i]
        return false
      }
      const edge = state * CLASSES + classOf[bytes[depth]]
      if (next[edge] === 0) next[edge] = ends.push(NO_ENDS) - 1
      states[i] = next[edge]
      return true
    })
  return { next: next.slice(0, ends.length * CLASSES), ends }
}

/** Turns the trie into an automaton, breadth first: each missing child becomes the child of the longest suffix. */
function linkSuffixes({ next, ends }: Trie): { shorter: Int32Array; speaks: Uint8Array } {
  const suffix = new Uint32Array(ends.length)
  const shorter = new Int32Array(ends.length).fill(-1)
  const speaks = new Uint8Array(ends.length)
  const queue = [0]
  for (const state of queue) {
    const fall = suffix[state]
    if (state > 0) {
      shorter[state] = ends[fall].length > 0 ? fall : shorter[fall]
      speaks[state] = ends[state].length > 0 || shorter[state] > 0 ? 1 : 0
    }
    for (let c = 0; c < CLASSES; c++) {
      const child = next[state * CLASSES + c]
      const other = state === 0 ? 0 : next[fall * CLASSES + c]
      if (child === 0) next[state * CLASSES + c] = other
      else {
        suffix[child] = other
        queue.push(child)
      }
    }
  }
  return { shorter, speaks }
}

/** Numbers the states again, so that those in which literals end (`speaks`) come last and one comparison finds them. */
function renumber(
  { next, ends, shorter }: Trie & { readonly shorter: Int32Array },
  speaks: Uint8Array,
): Omit<BuiltTable, 'classOf'> {
  const order = [...ends.keys()].sort((a, b) => speaks[a] - speaks[b] || a - b)
  const numbers = new Uint32Array(order.length)
  for (const [number, state] of order.entries()) numbers[state] = number
  const renumbered = new (order.length <= 2 ** 16 ? Uint16Array : Uint32Array)(next.length)
  for (const [number, state] of order.entries())
    for (let c = 0; c < CLASSES; c++) renumbered[number * CLASSES + c] = numbers[next[state * CLASSES + c]]
  return {
    next: renumbered,
    ends: order.map((state) => ends[state]),
    shorter: Uint32Array.from(order, (state) => (shorter[state] < 0 ? 0 : numbers[shorter[state]])),
    firstEnd: order.length - speaks.reduce((sum, one) => sum + one, 0),
  }
}
