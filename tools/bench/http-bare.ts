// A server with a single Fastify route, which responds with the JSON of its argument. Prints the address on which it listens.
import Fastify from 'fastify'

const body: unknown = JSON.parse(process.argv[2])
const app = Fastify()
app.get('/', async () => body)
process.stdout.write(`listens on ${await app.listen({ host: '127.0.0.1', port: 0 })} \n`)
