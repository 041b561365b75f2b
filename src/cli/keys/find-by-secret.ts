import { text as readAll } from 'node:stream/consumers'
import { SetupError } from '../../errors.ts'
import { hashSecret, isWellFormed, SECRET_PREFIX } from '../../keys/key.ts'
import type { OpenedStore } from '../../store/open/open-store.ts'
import { type CommandIo, UsageError } from '../command/command.ts'
import type { Verb } from '../command/verbs.ts'
import type { KeyContext, KeyWork } from './key-work.ts'

/**
 * Lets a verb that takes the id of a key take one of its secrets instead, or `-` to read either from standard input, so that the
 * secret is neither in the list of processes nor in the history of the shell. No message contains the secret.
 */
export function acceptSecret(verb: Verb<KeyContext, KeyWork>, { stdin }: Pick<CommandIo, 'stdin'>): typeof verb {
  if (verb.args[0] !== 'id') return verb
  const prepare: typeof verb.prepare = (given, context) => {
    const [written, ...rest] = given.args
    const prepareFor = (id: string): KeyWork => verb.prepare({ ...given, args: [id, ...rest] }, context)
    if (written !== '-' && !written.startsWith(SECRET_PREFIX)) return prepareFor(written)
    prepareFor('') // Checks the other arguments before anything is opened.
    return async (opened) => {
      const text = written === '-' ? await readKey(stdin) : written
      const id = text.startsWith(SECRET_PREFIX) ? await findId(opened, text) : text
      if (id !== text) context.report(`The secret belongs to ${id}.`)
      await prepareFor(id)(opened)
    }
  }
  return { ...verb, prepare }
}

async function readKey(stdin: CommandIo['stdin']): Promise<string> {
  const text = stdin === undefined ? '' : (await readAll(stdin)).trim()
  if (text !== '' && !/\s/.test(text)) return text
  throw new UsageError('standard input must contain one id or secret of a key')
}

/** Finds the key with a secret, under the current and the former pepper; also one that is revoked or has expired. */
async function findId({ store, pepper, oldPepper }: OpenedStore, secret: string): Promise<string> {
  if (!isWellFormed(secret))
    throw new SetupError('This is not a complete secret: its length or checksum is wrong. Copy it again.')
  for (const one of oldPepper === null ? [pepper] : [pepper, oldPepper]) {
    const key = await store.keys.findKey(hashSecret(secret, one))
    if (key !== null) return key.id
  }
  throw new SetupError('No key has this secret: it was deleted or rotated, or the secret belongs to another service.')
}
