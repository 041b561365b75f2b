// Asks for a URL as fast as it is answered, in a process of its own. Prints requests a second.
import autocannon from 'autocannon'

const [url, key, seconds] = process.argv.slice(2)
const { requests, non2xx, errors } = await autocannon({
  url,
  connections: 32,
  duration: Number(seconds),
  headers: { authorization: `Bearer ${key}` },
})
if (non2xx > 0 || errors > 0) throw new Error(`${url}: ${non2xx} answers were no 200, ${errors} did not come`)
process.stdout.write(`${Math.round(requests.average)}\n`)
