// Runs a command in a network of invented sites, which it must not leave: in a namespace that `SET_UP` of network-namespace.ts has
// prepared. Name server on port 53, web server on port 80; HTTPS is refused everywhere.
// node site-network.mjs <list file> <number of sites> <kill after> <command> [argument…]
// `kill after` is 0, or the number of requests for pages after which the command is killed.
import { spawn } from 'node:child_process'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { decode, encode } from 'dns-packet'

// Addresses that a scan treats as public. The web server listens on the first one, and nothing on the second one.
const [ALIVE, DEAD] = ['20.0.0.1', '20.0.0.2']
/**
 * Kinds of sites in turn: 70 % work, a tenth of them with status 404; 10 % do not exist, 10 % do not respond, 10 %
 * redirect to `www.`.
 */
const KINDS = ['page', 'none', 'page', 'dead', 'page', '404', 'page', 'redirect', 'page', 'page']
/** The spelling of a site in the list: bare, in upper case, with a port, a path or a scheme, or as an IDN. */
const FORMS = [
  (n) => `site-${n}.com`,
  (n) => `Site-${n}.COM`,
  (n) => `site-${n}.com:80`,
  (n) => `site-${n}.com/shop/?a=${n}`,
  (n) => `http://site-${n}.com`,
  (n) => `bücher-${n}.de`,
  (n) => `  site-${n}.com\t`,
]

/** Every tenth site occurs twice, with another spelling; comments and empty lines are between the sites; lines end as on Windows. */
function writeList(file, count) {
  const lines = ['\ufeff# sites', '']
  for (let n = 0; n < count; n++) {
    const entry = FORMS[n % FORMS.length](n)
    lines.push(entry)
    if (n % 10 === 0) lines.push(entry.replace(/^(\s*)(?:http:\/\/)?(.+?)(?::80)?(\s*)$/, repeat(n)))
    if (n % 50 === 0) lines.push('', `# ${n}`)
  }
  writeFileSync(file, lines.join('\r\n'))
}

/** A second spelling of a site, which depends on whether `http://` or `https://` comes first. */
const repeat = (n) => (_, before, site, after) =>
  `${before}${[2, 4].includes(n % FORMS.length) ? 'http' : 'HTTPS'}://${site}#again${after}`

const kindOf = (host) => KINDS[Number(/-(\d+)(?:-\w+)?\./.exec(host)?.[1]) % KINDS.length]

async function openNames() {
  const answer =
    (socket) =>
    (message, { port, address }) => {
      const { id, questions } = decode(message)
      const [{ name, type }] = questions
      const kind = kindOf(name)
      const isFound = kind !== undefined && kind !== 'none'
      const data = kind === 'dead' ? DEAD : ALIVE
      const answers = isFound && type === 'A' ? [{ name, type, ttl: 60, class: 'IN', data }] : []
      socket.send(encode({ type: 'response', id, flags: 0x180 | (isFound ? 0 : 3), questions, answers }), port, address)
    }
  for (const family of ['udp4', 'udp6']) {
    const socket = createSocket({ type: family, ipv6Only: family === 'udp6' })
    socket.on('message', answer(socket)).bind(53)
    await once(socket, 'listening')
  }
}

async function openSites() {
  const server = createServer(({ url, headers: { host = '' } }, response) => {
    if (/^\/(?:robots\.txt|favicon\.ico)/.test(url)) return response.writeHead(404).end()
    const kind = kindOf(host)
    if (kind === 'redirect' && !host.startsWith('www.'))
      return response.writeHead(301, { location: `http://www.${host}/` }).end()
    if (++pages === Number(killAfter)) child.kill('SIGKILL')
    const head =
      Number(/-(\d+)(?:-\w+)?\./.exec(host)?.[1]) % 3 === 0 ? '<meta name=generator content="WordPress 6.6.1">' : ''
    response.writeHead(kind === '404' ? 404 : 200, { 'content-type': 'text/html; charset=utf-8' })
    response.end(`<!doctype html><title>${host}, "Größe"</title>${head}<p>One page`)
  })
  server.listen(80, ALIVE)
  await once(server, 'listening')
}

const [list, count, killAfter, command, ...args] = process.argv.slice(2)
let pages = 0
writeList(list, Number(count))
await openNames()
await openSites()
const child = spawn(command, args, { stdio: 'inherit' })
child.on('exit', (code, signal) => process.exit(signal === null ? code : 137))
