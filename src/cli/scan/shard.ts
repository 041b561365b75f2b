import { createHash } from 'node:crypto'
import { UsageError } from '../command/command.ts'

/** A part of the input of a run, of several that together are the whole input. */
export interface Shard {
  /** From 1 on. */
  readonly part: number
  readonly of: number
}

/** Parses `--shard`. @throws UsageError */
export function parseShard(text: string | undefined): Shard | null {
  if (text === undefined) return null
  const [, part, of] = (/^(\d{1,6})\/(\d{1,6})$/.exec(text) ?? []).map(Number)
  if (part === undefined || part < 1 || part > of)
    throw new UsageError(`--shard must be a part and the number of parts, such as 3/16, not "${text}"`)
  return { part, of }
}

/**
 * Whether an item belongs to a shard. The hash of its name decides, so every machine finds the same, whatever the order of the input.
 * @param name of the item; equal names are in the same shard
 */
export function isInShard(name: string, shard: Shard | null): boolean {
  if (shard === null) return true
  return createHash('sha256').update(name).digest().readUInt32BE() % shard.of === shard.part - 1
}
