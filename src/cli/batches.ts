import { loadConfig } from '../config/config.ts'
import { BatchClient } from './batches/batch-client.ts'
import { describeBatch, followBatch } from './batches/follow-batch.ts'
import { type CommandIo, defineCommand, EXIT } from './command/command.ts'
import { dispatchVerb, readTextOption, type Verb } from './command/verbs.ts'

const HELP = `
Shows and changes batches: lists of URLs that a service scans in the background. To submit a list, use scan --urls FILE --queue.

  npx siteprint batches list [--json]
      Lists the batches of the key, newest first.
  npx siteprint batches show <id>
      Prints a batch as JSON.
  npx siteprint batches results <id> [--out out.jsonl|out.csv]
      Writes the results as they complete, until the batch ends.
  npx siteprint batches cancel <id>
      Cancels what has not started.
  npx siteprint batches retry <id>
      Lets the failed URLs be scanned again.

Settings (environment): SITEPRINT_URL, the address of the service; SITEPRINT_KEY, an API key of it.
Exit code: 0 success; of results 1 if a URL failed or the batch was cancelled; 2 wrong usage or failure, 130 stopped by Ctrl-C.
`

type BatchesWork = () => Promise<number>

const open = ({ env }: CommandIo): BatchClient => new BatchClient(loadConfig(env))

const VERBS: Readonly<Record<string, Verb<CommandIo, BatchesWork>>> = {
  list: {
    args: [],
    options: { json: { type: 'boolean' } },
    prepare:
      ({ values }, io) =>
      () =>
        listBatches(values.json === true, io),
  },
  show: {
    args: ['id'],
    options: {},
    prepare:
      ({ args: [id] }, io) =>
      async () => {
        io.stdout.write(`${JSON.stringify(await open(io).get(id), null, 2)}\n`)
        return EXIT.ok
      },
  },
  results: {
    args: ['id'],
    options: { out: { type: 'string' } },
    prepare: (given, io) => () => followBatch(open(io), { id: given.args[0], out: readTextOption(given, 'out') }, io),
  },
  cancel: changeVerb('cancel'),
  retry: changeVerb('retry'),
}

export const main = defineCommand(HELP, (args, io) => dispatchVerb(VERBS, args, io)(), Object.keys(VERBS))

function changeVerb(change: 'cancel' | 'retry'): Verb<CommandIo, BatchesWork> {
  return {
    args: ['id'],
    options: {},
    prepare:
      ({ args: [id] }, io) =>
      async () => {
        io.stdout.write(`${describeBatch(await open(io).change(id, change))}\n`)
        return EXIT.ok
      },
  }
}

async function listBatches(isJson: boolean, io: CommandIo): Promise<number> {
  const client = open(io)
  let before: string | undefined
  do {
    const { batches, next } = await client.list(before)
    for (const batch of batches) io.stdout.write(`${isJson ? JSON.stringify(batch) : describeBatch(batch)}\n`)
    before = next ?? undefined
  } while (before !== undefined)
  return EXIT.ok
}
