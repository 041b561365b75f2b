import type { ContainerTag } from './container-types.ts'

/** Builds a tag from the parts that its manager writes; the others are empty. */
export function buildTag(parts: Partial<ContainerTag>): ContainerTag {
  return { kinds: [], html: '', code: '', urls: [], isConditional: false, ...parts }
}

/** Finds quoted addresses in an inline script whose end a pattern accepts, without their quotes. */
export function findQuoted(script: string, pattern: RegExp): string[] {
  return Array.from(script.matchAll(pattern), ([, address]) => address.replaceAll('\\/', '/'))
}
