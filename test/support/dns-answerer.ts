import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { type Answer, decode, encode, type RecordType } from 'dns-packet'

/** Records as text (`mx`: `10 mail.example.com`, `soa`: `ns.example.com hostmaster.example.com`); [] is "no data". */
type Reply = readonly string[] | { readonly texts: readonly string[]; readonly ttl: number } | 'silent' | 'servfail'

/** `'host TYPE'` → the answer, or a function that returns it each time. Names that are missing get `nxdomain`. */
export type Zone = Record<string, Reply | (() => Reply)>

export interface Answerer {
  /** `127.0.0.1:port` */
  readonly address: string
  /** Every question received, as `'host TYPE'`. A test may empty it. */
  readonly questions: string[]
  /** May be changed at any time. */
  readonly zone: Zone
  close(): Promise<void>
}

const TTL = 60

/** A small name server on 127.0.0.1. */
export async function openAnswerer(zone: Zone = {}): Promise<Answerer> {
  const socket = createSocket('udp4')
  const questions: string[] = []
  socket.on('message', (message, { port, address }) => {
    const { id, questions: asked = [] } = decode(message)
    const [{ name, type }] = asked
    const key = `${name.toLowerCase()} ${type}`
    questions.push(key)
    const entry = Object.hasOwn(zone, key) ? zone[key] : undefined
    const reply = typeof entry === 'function' ? entry() : entry
    if (reply === 'silent') return
    const answers = reply === undefined || reply === 'servfail' ? [] : buildAnswers(name, type, reply)
    const rcode = reply === undefined ? 3 : reply === 'servfail' ? 2 : 0
    socket.send(encode({ type: 'response', id, flags: 0x180 | rcode, questions: asked, answers }), port, address)
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  const close = async (): Promise<void> => {
    socket.close()
    await once(socket, 'close')
  }
  return { address: `127.0.0.1:${socket.address().port}`, questions, zone, close }
}

function buildAnswers(name: string, type: RecordType, reply: Exclude<Reply, string>): Answer[] {
  const { texts, ttl } = 'texts' in reply ? reply : { texts: reply, ttl: TTL }
  return texts.map((text) => ({ name, type, ttl, class: 'IN', data: parseData(type, text) }) as Answer)
}

function parseData(type: RecordType, text: string): unknown {
  const [first, second] = text.split(' ')
  if (type === 'MX') return { preference: Number(first), exchange: second }
  if (type === 'SOA') return { mname: first, rname: second }
  if (type === 'TXT') return text.match(/.{1,255}/gs) ?? ['']
  return text
}
