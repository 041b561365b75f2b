import { pickChar } from './char-ranges.ts'
import { LATER_START, type PatternGraph } from './pattern-graph.ts'

/** A text that leads into a pattern and then repeats a part of it: `start`, followed by many copies of `pump`. */
export interface Pump {
  readonly start: string
  readonly pump: string
}

const MAX_PUMPS = 24

/** Generates texts from the structure of a pattern that cost a backtracking engine as much time as possible. */
export function findPumps(graph: PatternGraph): Pump[] {
  const words = findWords(graph, 0)
  const pumps = new Map<string, Pump>()
  const add = (start: string, pump: string | undefined): void => {
    if (pump) pumps.set(JSON.stringify([start, pump]), { start, pump })
  }
  for (const [at, { chars, next }] of graph.entries()) {
    const word = words.get(at)
    if (at <= LATER_START || word === undefined) continue
    const back = findWords(graph, at).get(at)
    if (back === undefined && next.size < 2) continue // The state is neither in a repeat nor a fork.
    add(word, back)
    add(word, pickChar(chars) ?? undefined)
    add('', word)
  }
  const longest = [...words.values()].reduce((one, other) => (other.length > one.length ? other : one), '')
  add('', longest)
  const all = [...pumps.values()]
  return all.length <= MAX_PUMPS ? all : all.filter((_, i) => i % Math.ceil(all.length / MAX_PUMPS) === 0)
}

/** State → a shortest text that leads to it from `from`. */
function findWords(graph: PatternGraph, from: number): Map<number, string> {
  const words = new Map<number, string>()
  const queue: [state: number, word: string][] = [[from, '']]
  for (const [at, word] of queue)
    for (const to of [...graph[at].next.keys(), ...(at === 0 ? graph[LATER_START].next.keys() : [])]) {
      const char = to === LATER_START || words.has(to) ? null : pickChar(graph[to].chars)
      if (char === null) continue
      words.set(to, word + char)
      queue.push([to, word + char])
    }
  return words
}
