import { Writable } from 'node:stream'
import { main } from '../src/cli/accounts.ts'
import { EXIT } from '../src/cli/command/command.ts'

/** Environment variables of a program that is started. */
export type Env = Readonly<Record<string, string>>

/**
 * Creates the account of an operator with the command, as its address cannot be used to sign up, and confirms the address.
 * @returns path and query of the page on which its owner chooses a password
 */
export async function createOperator(email: string, env: Env): Promise<string> {
  const link = await run(['create', email, '--name', 'Ida Holm'], env)
  await run(['verify', email, '--yes'], env)
  const { pathname, search } = new URL(link.trim())
  return pathname + search
}

async function run(args: string[], env: Env): Promise<string> {
  const texts = { stdout: '', stderr: '' }
  const collect = (name: keyof typeof texts): Writable =>
    new Writable({
      write: (chunk, _, done) => {
        texts[name] += chunk
        done()
      },
    })
  const code = await main(args, { env, stdout: collect('stdout'), stderr: collect('stderr') })
  if (code !== EXIT.ok) throw new Error(`accounts ${args.join(' ')} failed: ${texts.stderr}`)
  return texts.stdout
}
