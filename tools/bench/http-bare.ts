// A server with nothing but a route of Fastify's, which answers with the text it is started with. Prints where it listens.
import Fastify from 'fastify'

const body: unknown = JSON.parse(process.argv[2])
const app = Fastify()
app.get('/', async () => body)
process.stdout.write(`listens on ${await app.listen({ host: '127.0.0.1', port: 0 })} \n`)
