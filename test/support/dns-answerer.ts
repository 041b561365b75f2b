import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { type Answer, decode, encode, type RecordType } from 'dns-packet'

/** Records as text (`mx`: `10 mail.example.com`, `soa`: `ns.example.com hostmaster.example.com`); [] is "no data". */
type Reply = readonly string[] | { readonly texts: readonly string[]; readonly ttl: number } | 'silent' | 'servfail'

/** `'host TYPE'` → what is answered, or what tells it each time; `nxdomain` for all that does not stand there. */
export type Zone = Record<string, Reply | (() => Reply)>

export interface Answerer {
  /** `127.0.0.1:port` */
  readonly address: string
  /** Every question that came, as `'host TYPE'`; empty it at will. */
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
    const told = Object.hasOwn(zone, key) ? zone[key] : undefined
    const reply = typeof told === 'function' ? told() : told
    if (reply === 'silent') return
    const answers = reply === undefined || reply === 'servfail' ? [] : answersOf(name, type, reply)
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

function answersOf(name: string, type: RecordType, reply: Exclude<Reply, string>): Answer[] {
  const { texts, ttl } = 'texts' in reply ? reply : { texts: reply, ttl: TTL }
  return texts.map((text) => ({ name, type, ttl, class: 'IN', data: dataOf(type, text) }) as Answer)
}

function dataOf(type: RecordType, text: string): unknown {
  const [first, second] = text.split(' ')
  if (type === 'MX') return { preference: Number(first), exchange: second }
  if (type === 'SOA') return { mname: first, rname: second }
  if (type === 'TXT') return text.match(/.{1,255}/gs) ?? ['']
  return text
}
