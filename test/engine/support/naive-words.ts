import { type AttributeSelector, parse, type Selector } from 'css-what'
import type { Tape } from '../../../src/engine/page/page-types.ts'

/** Converts ASCII letters to lower case. */
export function fold(text: string): string {
  return /[A-Z]/.test(text) ? text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase()) : text
}

/** The part of a URL that a locator is compared with. */
export interface Address {
  /** '' if unknown. */
  readonly host: string
  readonly path: string
}

/** Whether an address is under a locator, which is read from left to right as documented. */
export function isUnder(locator: string, { host, path }: Address, exact: boolean): boolean {
  if (locator === '/') return path === '/'
  const cut = locator.includes('/') ? locator.indexOf('/') : locator.length
  const [wantedHost, wantedPath] = [toPunycode(locator.slice(0, cut)), locator.slice(cut)]
  if (wantedHost.startsWith('.') && !host.endsWith(wantedHost)) return false
  if (wantedHost.endsWith('.*') && !host.startsWith(wantedHost.slice(0, -1))) return false
  const isWhole = wantedHost !== '' && !wantedHost.startsWith('.') && !wantedHost.endsWith('.*')
  if (isWhole && host !== wantedHost) return false
  if (wantedPath === '') return true
  const [have, want] = exact ? [path, wantedPath] : [fold(path), fold(wantedPath)]
  return wantedHost === '' ? containsSegments(have, want) : beginsWithSegments(have, want)
}

function toPunycode(host: string): string {
  if (/^[\x21-\x7e]*$/.test(host)) return fold(host)
  const below = host.startsWith('.') ? '.' : ''
  return below + new URL(`http://${host.slice(below.length)}/`).hostname
}

/** Compares whole segments (`/p`, `/p/`), or the beginning of one (`/p*`). */
function beginsWithSegments(path: string, want: string): boolean {
  if (want.endsWith('*')) return path.startsWith(want.slice(0, -1))
  const whole = want.endsWith('/') ? want.slice(0, -1) : want
  return path === whole || path.startsWith(`${whole}/`)
}

function containsSegments(path: string, want: string): boolean {
  for (let at = 0; at < path.length; at++) if (path[at] === '/' && beginsWithSegments(path.slice(at), want)) return true
  return false
}

/** Whether a name equals the word, or begins with a word that ends in `*`. */
export function isNamed(word: string, name: string, exact: boolean): boolean {
  const [want, have] = exact ? [word, name] : [fold(word), fold(name)]
  return want.endsWith('*') ? have.startsWith(want.slice(0, -1)) : have === want
}

const parsed = new Map<string, Selector[][]>()

/** Whether an element matches a selector. Every alternative is tried, from the element upwards. */
export function fitsSelector(selector: string, tape: Tape, at: number, exact: boolean): boolean {
  const rows = parsed.get(selector) ?? parse(selector)
  parsed.set(selector, rows)
  return rows.some((row) => fitsRow(row, row.length, { tape, at, exact }))
}

interface Spot {
  readonly tape: Tape
  readonly at: number
  readonly exact: boolean
}

/** Compares the first `length` tokens of a row. The last one is a condition on the element or a combinator. */
function fitsRow(row: readonly Selector[], length: number, spot: Spot): boolean {
  if (length === 0) return true
  const token = row[length - 1]
  const above = (at: number): boolean => fitsRow(row, length - 1, { ...spot, at })
  const { parents } = spot.tape
  if (token.type === 'child') return parents[spot.at] >= 0 && above(parents[spot.at])
  if (token.type === 'descendant') {
    for (let up = parents[spot.at]; up >= 0; up = parents[up]) if (above(up)) return true
    return false
  }
  return fitsToken(token, spot) && fitsRow(row, length - 1, spot)
}

function fitsToken(token: Selector, spot: Spot): boolean {
  if (token.type === 'universal') return true
  if (token.type === 'tag') return fold(token.name) === spot.tape.tags[spot.at]
  if (token.type === 'attribute')
    return fitsAttribute(token, readAttribute(spot.tape, spot.at, fold(token.name)), spot.exact)
  if (token.type !== 'pseudo' || !Array.isArray(token.data)) throw new Error(`unsupported selector: ${token.type}`)
  const fits = token.data.some((row) => fitsRow(row, row.length, spot))
  return token.name === 'is' ? fits : !fits
}

/** Reads the first attribute with that name. */
export function readAttribute(tape: Tape, at: number, name: string): string | null {
  for (let k = tape.attributes[at]; k < tape.attributes[at + 1]; k++) if (tape.names[k] === name) return tape.values[k]
  return null
}

/** Compares as defined in the Selectors standard, except for case. */
function fitsAttribute({ action, value }: AttributeSelector, written: string | null, exact: boolean): boolean {
  if (written === null) return false
  const [have, want] = exact ? [written, value] : [fold(written), fold(value)]
  const part = want.length > 0
  if (action === 'exists') return true
  if (action === 'equals') return have === want
  if (action === 'element') return part && have.split(/[ \t\n\r\f]/).indexOf(want) >= 0
  if (action === 'hyphen') return have === want || have.indexOf(`${want}-`) === 0
  if (action === 'start') return part && have.slice(0, want.length) === want
  if (action === 'end') return part && have.slice(-want.length) === want
  if (action === 'any') return part && have.indexOf(want) >= 0
  throw new Error(`unsupported operator: ${action}`)
}
