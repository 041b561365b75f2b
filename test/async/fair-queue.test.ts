import { describe, expect, test } from 'vitest'
import { FairQueue } from '../../src/async/fair-queue.ts'

/** Adds items such as `a1`, whose group is the path `a`, or `a/x1` with the path `a`, `x`. @returns the items that left */
function fill(queue: FairQueue<string>, items: readonly string[]): string[] {
  return items.flatMap((item) => queue.add(item.replace(/\d+$/, '').split('/'), item) ?? [])
}

function takeAll(queue: FairQueue<string>): string[] {
  const taken: string[] = []
  for (let item = queue.take(); item !== null; item = queue.take()) taken.push(item)
  return taken
}

describe('the order of items', () => {
  test.each<[string, string[], string[]]>([
    ['nothing', [], []],
    ['one group: as they came', ['a1', 'a2', 'a3'], ['a1', 'a2', 'a3']],
    ['a crowd and a single', ['a1', 'a2', 'a3', 'a4', 'b1'], ['a1', 'b1', 'a2', 'a3', 'a4']],
    ['groups in turn', ['a1', 'a2', 'b1', 'c1', 'b2'], ['a1', 'b1', 'c1', 'a2', 'b2']],
    [
      'inner groups share the turns of the outer one',
      ['n/a1', 'n/b1', 'n/c1', 'm/d1', 'm/d2', 'm/d3'],
      ['n/a1', 'm/d1', 'n/b1', 'm/d2', 'n/c1', 'm/d3'],
    ],
    ['a crowd inside of a group', ['n/a1', 'n/a2', 'n/a3', 'n/b1'], ['n/a1', 'n/b1', 'n/a2', 'n/a3']],
  ])('%s', (_, items, expected) => {
    const queue = new FairQueue<string>(100)
    expect(fill(queue, items)).toEqual([])
    expect(queue.size).toBe(items.length)
    expect(takeAll(queue)).toEqual(expected)
    expect(queue.size).toBe(0)
  })
})

describe('who leaves a full queue of four', () => {
  test.each<[string, string[], string[], string[]]>([
    ['the newest of a crowd, for a single', ['a1', 'a2', 'a3', 'a4', 'b1'], ['a4'], ['a1', 'b1', 'a2', 'a3']],
    ['the crowd itself', ['b1', 'a1', 'a2', 'a3', 'a4', 'a5'], ['a4', 'a5'], ['b1', 'a1', 'a2', 'a3']],
    ['of equal crowds the one that came last', ['a1', 'b1', 'c1', 'd1', 'e1'], ['e1'], ['a1', 'b1', 'c1', 'd1']],
    [
      'of a network with many addresses',
      ['n/a1', 'n/b1', 'n/c1', 'n/d1', 'm/e1'],
      ['n/a1'],
      ['n/b1', 'm/e1', 'n/c1', 'n/d1'],
    ],
    ['the crowd of that network', ['n/a1', 'n/b1', 'n/b2', 'n/b3', 'm/c1'], ['n/b3'], ['n/a1', 'm/c1', 'n/b1', 'n/b2']],
  ])('%s', (_, items, left, expected) => {
    const queue = new FairQueue<string>(4)
    expect(fill(queue, items)).toEqual(left)
    expect(takeAll(queue)).toEqual(expected)
  })
})
