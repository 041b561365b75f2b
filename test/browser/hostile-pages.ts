/** A response of the test server. */
interface TestPage {
  readonly status?: number
  readonly type?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

const SHOP = `<!doctype html><html lang=en><title>A shop</title><form id=Named></form><main id=root></main><script>
window.Shopify = { theme: { name: 'Dawn' } }
window.jQuery = Object.assign(function () {}, { fn: { jquery: '3.7.1' } })
window.Lazy = { get version() { document.title = 'read'; return '1' } }
window.Trap = new Proxy({ version: '2' }, { get() { document.title = 'read'; return '2' }, ownKeys() { document.title = 'read'; return [] } })
window.Plain = {}
window.Unset = null
window.Amount = 7
document.cookie = 'made=2'
const late = document.createElement('script')
late.src = 'http://cdn.example.net/late.js'
document.head.append(late)
history.pushState(null, '', '/shop?done#part')
</script>`

const LATE = `document.querySelector('main').innerHTML = '<p id=made>made by a script</p><iframe src="http://cdn.example.net/frame"></iframe>'
document.querySelector('iframe').onload = () => fetch('http://cdn.example.net/data.json', { mode: 'no-cors' })`

/** Addresses that no scan may contact, in spellings of the address vectors. */
const TARGETS = [
  '127.0.0.1',
  '127.0.0.1:8080',
  '127.0.0.1:6379',
  'localhost',
  '[::1]',
  '[::ffff:10.0.0.1]',
  '10.0.0.1',
  '10.0.0.1:8080',
  '192.168.0.1',
  '169.254.169.254',
  '100.64.0.1',
  '0.0.0.0',
  '2130706433',
  '0x7f.1',
  'inner.example.org',
  'printer.lan',
]

/** Every way in which a page can request something, towards each target. */
const WAYS = `<!doctype html><html lang=en><title>Ways</title><body><script>
const targets = ${JSON.stringify(TARGETS)}
const add = (tag, set) => document.body.append(Object.assign(document.createElement(tag), set))
const work = targets.map(async (target) => {
  const url = 'http://' + target + '/x'
  add('script', { src: url })
  add('img', { src: url })
  add('img', { src: '/away?' + encodeURIComponent(url) })
  add('iframe', { src: url })
  add('link', { rel: 'stylesheet', href: url })
  add('link', { rel: 'dns-prefetch', href: url })
  add('link', { rel: 'preconnect', href: url })
  add('link', { rel: 'prefetch', href: url })
  add('object', { data: url })
  add('video', { src: url })
  navigator.sendBeacon(url, 'x')
  try { new WebSocket('ws://' + target + '/x') } catch {}
  try { new EventSource(url) } catch {}
  const code = 'fetch(' + JSON.stringify(url) + ', { mode: "no-cors" }).catch(() => {}).finally(() => postMessage(1))'
  const worker = new Worker(URL.createObjectURL(new Blob([code])))
  await Promise.all([
    fetch(url, { mode: 'no-cors' }).catch(() => {}),
    fetch('https://' + target + '/x', { mode: 'no-cors' }).catch(() => {}),
    new Promise((resolve) => { worker.onmessage = worker.onerror = resolve }),
  ])
})
try {
  const peer = new RTCPeerConnection({ iceServers: [{ urls: ['stun:127.0.0.1:3478', 'stun:10.0.0.1:3478', 'stun:shop.example.com:3478'] }] })
  peer.createDataChannel('x')
  work.push(peer.createOffer().then((offer) => peer.setLocalDescription(offer)))
} catch {}
Promise.allSettled(work).then(() => add('p', { textContent: 'tried everything' }))
</script>`

const script = (code: string): TestPage => ({
  body: `<!doctype html><html lang=en><title>A page</title><p>text</p><script>window.Plain = {}\n${code}</script>`,
})

/** What the test server has, by path. */
export const PAGES: Readonly<Record<string, TestPage>> = {
  '/shop': { body: SHOP, headers: { 'set-cookie': 'sent=1' } },
  '/late.js': { type: 'text/javascript', body: LATE },
  '/frame': { body: '<!doctype html><title>A frame</title>' },
  '/data.json': { type: 'application/json', body: '{}' },
  '/ways': { body: WAYS },
  '/to-inside': { status: 302, headers: { location: 'http://10.0.0.1/shop' } },
  ...Object.fromEntries(
    TARGETS.map((target) => {
      const url = `http://${target}/x`
      return [`/away?${encodeURIComponent(url)}`, { status: 302, headers: { location: url } }]
    }),
  ),
  '/loop': script('for (;;) {}'),
  '/memory': script('const all = []; setInterval(() => all.push(new Uint8Array(64 << 20).fill(1)), 1)'),
  '/requests': script('for (let i = 0; i < 300; i++) fetch("/?" + i).catch(() => {})'),
  '/redirects': { status: 302, headers: { location: '/redirects' } },
  '/windows': script('for (let i = 0; i < 50; i++) window.open("/shop?" + i)'),
  '/dialog': script('alert("wait"); confirm("wait"); onbeforeunload = () => "wait"'),
  '/download': script('const a = document.createElement("a"); a.href = "/file"; a.download = "file"; a.click()'),
  '/file': { type: 'application/octet-stream', headers: { 'content-disposition': 'attachment' }, body: 'file' },
  '/fake': script(`
    const fail = () => { document.body.innerHTML = 'fooled'; throw new Error('no') }
    Object.defineProperty(Element.prototype, 'outerHTML', { get: fail })
    Object.getOwnPropertyNames = Object.keys = JSON.stringify = String.prototype.slice = fail
    Object.defineProperty(document, 'documentElement', { get: fail })
    Object.prototype.toJSON = fail
    window.Array = window.Map = window.Object = fail`),
  '/elsewhere': script('location.href = "http://cdn.example.net/frame"'),
  '/local-file': script('location.href = "file:///etc/passwd"'),
}

/** Path, what the page does, and what becomes of it. */
export const HOSTILE_PAGES: readonly (readonly [string, string, object])[] = [
  ['memory', 'fills memory', { failure: 'crashed' }],
  ['requests', 'sends too many requests', { warnings: ['the browser stopped after 100 requests of the page'] }],
  ['redirects', 'redirects for ever', { failure: 'unreachable' }],
  ['windows', 'opens windows', { warnings: [], globals: [{ name: 'Plain', text: '' }] }],
  ['dialog', 'shows dialogs', { warnings: [], globals: [{ name: 'Plain', text: '' }] }],
  ['download', 'downloads a file', { warnings: [], globals: [{ name: 'Plain', text: '' }] }],
  ['fake', 'replaces the functions of the language', { warnings: [], globals: [{ name: 'Plain', text: '' }] }],
  ['elsewhere', 'leads to another site', { failure: 'left' }],
  ['local-file', 'opens a file', { url: 'http://shop.example.com/local-file' }],
]
