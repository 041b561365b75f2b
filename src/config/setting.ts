import type { KeyObject } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { parseEmailAddress } from '../accounts/form-rules.ts'
import { SetupError } from '../errors.ts'
import { parseBotKey } from '../fetch/bot-identity.ts'
import { loadPlans, type PlanTable } from '../keys/plans.ts'
import * as parse from './parsers.ts'
import { type ConfigReader, createNumberParser } from './reader.ts'

/** One setting: its name in the environment, how it is read, its default, and its documentation. */
export interface Setting<Value> {
  readonly name: string
  /** Returns null if the setting is not set. Reports an invalid value to the reader. */
  readonly read: (reader: ConfigReader, name: string) => Value | null
  /** A default may depend on settings before it in the table, and on which settings are set. */
  readonly default: Value | ((earlier: { readonly host: string; readonly port: number }, isSet: IsSet) => Value)
  /** The default in the documentation, if it is not the value itself. */
  readonly shownDefault?: string
  /** Markdown for the table of settings. Links are relative to the folder of the project. */
  readonly documentation: string
  /** Whether the default is computed when the setting is first read: it takes long, and most commands do not need it. */
  readonly isLazy?: true
  /** Whether `<name>_FILE` can name a file that contains the value, as secrets of containers are given. */
  readonly isSecret?: true
}

type IsSet = (name: string) => boolean

export const LOOPBACK = '127.0.0.1'
export const DATA_DIR = 'data'
/** The log levels of pino; the most verbose is the last. */
export const LOG_LEVELS = ['silent', 'fatal', 'error', 'warn', 'info', 'debug', 'trace'] as const
export const WRITE_SECRET = 'write at least 32 characters, such as the output of `openssl rand -base64 32`'
export const ENCODE_CREDENTIALS = 'percent-encode special characters in user and password'

export const define = <Value>(setting: Setting<Value>): Setting<Value> => setting

/** Reads one value with a parser, or reports `sentence`. */
export const readOne =
  <Value>(parser: (text: string) => Value | null, sentence: string): Setting<Value>['read'] =>
  (reader, name) =>
    reader.read(name, parser, sentence)

/** Reads a list, or reports the entries that are not `wanted`. */
export const readList =
  <Entry>(parser: (entry: string) => Entry | null, wanted: string): Setting<readonly Entry[]>['read'] =>
  (reader, name) =>
    reader.readList(name, parser, wanted)

export const readNumber = (least: number, most: number): Setting<number>['read'] =>
  readOne(createNumberParser(least, most), `write a number from ${least} to ${most}`)

export const readWord = <const Words extends readonly string[]>(...words: Words): Setting<Words[number]>['read'] =>
  readOne((text) => words.find((word) => word === text) ?? null, `write one of ${words.join(', ')}`)

export const readListenHost = readOne(
  parse.parseListenHost,
  'write an address or a host name to listen on, without scheme, brackets and port',
)

const SWITCHES = new Map([
  ['on', true],
  ['off', false],
])
export const readSwitch: Setting<boolean>['read'] = readOne((text) => SWITCHES.get(text) ?? null, 'write on or off')

/** A sender: an address, or a name and an address in angle brackets. */
export function parseSender(text: string): string | null {
  const [, name = '', bracketed] = /^([^<>"(),:;@\\\p{C}]*)<([^<>]+)>$/u.exec(text) ?? []
  const isGood = parseEmailAddress(bracketed ?? text) !== null && (bracketed === undefined || name.trim() !== '')
  return isGood ? text : null
}

export function readDataDir(reader: ConfigReader, name: string): string {
  const folder = resolve(reader.text(name) ?? DATA_DIR)
  if (findKind(folder) === 'other') reader.report(name, 'write the path of a folder that exists or can be created')
  return folder
}

export function readFolder(reader: ConfigReader, name: string): string | null {
  const folder = reader.text(name)
  if (folder === null) return null
  if (findKind(resolve(folder)) === 'other')
    reader.report(name, 'write the path of a folder that exists or can be created')
  return resolve(folder)
}

export function readExistingFile(reader: ConfigReader, name: string): string | null {
  const file = reader.text(name)
  if (file === null) return null
  if (!statSync(file, { throwIfNoEntry: false })?.isFile()) reader.report(name, `there is no file "${file}"`)
  return resolve(file)
}

export function readBotKey(reader: ConfigReader, name: string): KeyObject | null {
  const file = reader.text(name)
  if (file === null) return null
  try {
    const key = parseBotKey(readFileSync(file, 'utf8'))
    if (key === null)
      reader.report(
        name,
        `${file} is not an Ed25519 private key, as PEM or JWK without a password: make one with "service bot-key"`,
      )
    return key
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    reader.report(name, `the file cannot be read (${code}): ${file}`)
    return null
  }
}

export function readRuleFolders(reader: ConfigReader, name: string): readonly string[] {
  const folders = reader.list(name).map((folder) => resolve(folder))
  for (const folder of folders)
    if (findKind(folder) !== 'folder') reader.report(name, `the folder does not exist: ${folder}`)
  return folders
}

export function readPlans(reader: ConfigReader, name: string): PlanTable | null {
  const file = reader.text(name)
  if (file === null) return null
  try {
    return loadPlans(file)
  } catch (error) {
    if (!(error instanceof SetupError)) throw error
    for (const problem of error.message.split('\n')) reader.report(name, problem)
    return null
  }
}

/** 0 proxies means the same as an unset value. */
export function readTrustedProxies(reader: ConfigReader, name: string): number | readonly string[] | null {
  const count = createNumberParser(0, 100)(reader.text(name) ?? '0')
  if (count !== null) return count || null
  const wanted = 'an address[/bits]; to give the number of proxies, write only a number up to 100'
  return reader.readList(name, parse.parseAddressBlock, wanted)
}

export function readOrigins(reader: ConfigReader, name: string): readonly string[] | '*' | null {
  if (reader.text(name) === '*') return '*'
  return reader.readList(name, parse.parseOrigin, 'an origin such as https://app.example; to allow all, write only *')
}

/** A path below a file, or one without permission, is neither a folder nor free. */
function findKind(path: string): 'folder' | 'other' | 'none' {
  try {
    const stats = statSync(path, { throwIfNoEntry: false })
    return stats === undefined ? 'none' : stats.isDirectory() ? 'folder' : 'other'
  } catch {
    return 'other'
  }
}
