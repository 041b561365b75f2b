// Requests a URL as fast as it responds, in a separate process. Prints the requests per second as JSON.
import autocannon from 'autocannon'

const [url, key, seconds] = process.argv.slice(2)
const { requests, non2xx, errors } = await autocannon({
  url,
  connections: 32,
  duration: Number(seconds),
  headers: { authorization: `Bearer ${key}` },
})
if (non2xx > 0 || errors > 0)
  throw new Error(`${url}: ${non2xx} responses had a status other than 2xx, ${errors} requests failed`)
process.stdout.write(`${JSON.stringify({ perSecond: Math.round(requests.average) })}\n`)
