// The package `siteprint-engine`: detection alone, without any API of Node, so that it also runs in browsers, workers, Deno and Bun.
import { detectors as builtIn } from '../plugins/index.ts'
import { Ruleset } from './engine/lookup/ruleset.ts'
import { openRulesetFile } from './engine/lookup/ruleset-file.ts'
import type { Detector } from './engine/page/detector.ts'

export type { Detector, Found, Wanted } from './engine/page/detector.ts'
export { buildPage, type PageInput } from './engine/page/page.ts'
export type { Page } from './engine/page/page-types.ts'
export { detect } from './engine/verdict/detect.ts'
export { type Extra, type Result, toResult } from './engine/verdict/result.ts'
export type { Evidence, Level, Verdict } from './engine/verdict/verdict-types.ts'

export type { Ruleset }

/** Rules and detectors other than those of the package. */
export interface EngineOptions {
  /** A compiled ruleset, as the build of Siteprint writes it to `dist/ruleset.bin`. It replaces the rules of the package. */
  readonly compiled?: ArrayBufferLike | Uint8Array
  /** Detectors in addition to the built-in ones. */
  readonly detectors?: readonly Detector[]
}

/**
 * Loads the ruleset. One ruleset serves any number of pages.
 *
 *     const ruleset = await loadRuleset()
 *     const verdict = detect(ruleset, buildPage({ url, status, headers, html }))
 *
 * @throws Error if `compiled` is not a compiled ruleset, is damaged, or is of another format; TypeError if its rules use a place that has no
 *   detector
 */
export async function loadRuleset({ compiled, detectors = [] }: EngineOptions = {}): Promise<Ruleset> {
  const buffer = compiled === undefined ? await readOwn() : toBuffer(compiled)
  return new Ruleset(openRulesetFile(buffer), [...builtIn, ...detectors])
}

/** Returns bytes as a buffer that begins with them: the sections of a ruleset are read in place, at aligned addresses. */
function toBuffer(bytes: ArrayBufferLike | Uint8Array): ArrayBufferLike {
  if (!ArrayBuffer.isView(bytes)) return bytes
  return bytes.byteLength === bytes.buffer.byteLength ? bytes.buffer : bytes.slice().buffer
}

/** Reads the ruleset of the package. It is text in a module, because no way to read a file is the same in browsers, bundlers and Node. */
async function readOwn(): Promise<ArrayBuffer> {
  const { compiledRuleset } = await import('./compiled-ruleset.js')
  const bytes = Uint8Array.from(atob(compiledRuleset), (character) => character.charCodeAt(0))
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'))).arrayBuffer()
}
