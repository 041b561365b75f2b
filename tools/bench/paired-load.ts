// Requests two URLs of one service in turns, in a separate process. Prints the processor time of the service for a request of each, in
// microseconds, as one pair for each round: JSON, [[first, second], …]. Needs Linux.
import { readdirSync, readFileSync } from 'node:fs'
import { Pool } from 'undici'

const CONNECTIONS = 32
/** Requests of a connection in one turn: a turn takes about 0.2 s, so that other work on the machine disturbs both URLs alike. */
const REQUESTS = 60
const WARM_UP = 10

const [pid, key, rounds, ...urls] = process.argv.slice(2)
const pool = new Pool(new URL(urls[0]).origin, { connections: CONNECTIONS })
const pairs: number[][] = []
for (let round = -WARM_UP; round < Number(rounds); round++) {
  const pair: number[] = []
  // Every second round begins with the other URL.
  for (const kind of round % 2 === 0 ? [0, 1] : [1, 0]) pair[kind] = await measureCpu(urls[kind])
  if (round >= 0) pairs.push(pair)
}
await pool.close()
process.stdout.write(`${JSON.stringify(pairs)}\n`)

/** Measures the processor time of the service for a request, in microseconds. */
async function measureCpu(url: string): Promise<number> {
  const before = readCpu()
  await Promise.all(Array.from({ length: CONNECTIONS }, () => requestOften(url)))
  return (readCpu() - before) / (CONNECTIONS * REQUESTS)
}

async function requestOften(url: string): Promise<void> {
  const { pathname, search } = new URL(url)
  const request = { path: pathname + search, method: 'GET', headers: { authorization: `Bearer ${key}` } } as const
  for (let i = 0; i < REQUESTS; i++) {
    const { statusCode, body } = await pool.request(request)
    if (statusCode !== 200) throw new Error(`${url}: a response had the status ${statusCode}`)
    await body.dump()
  }
}

/** Reads the processor time of all threads of the service, in microseconds. */
function readCpu(): number {
  const tasks = `/proc/${pid}/task`
  const times = readdirSync(tasks).map((task) =>
    Number(readFileSync(`${tasks}/${task}/schedstat`, 'utf8').split(' ', 1)[0]),
  )
  return times.reduce((sum, ns) => sum + ns, 0) / 1000
}
