/** Ways in which a page can request something. Each is tried with each address. */
export const WAYS = [
  'redirect',
  'script',
  'frame',
  'picture',
  'style sheet',
  'fetch',
  'WebSocket',
  'worker',
  'EventSource',
  'beacon',
  'DNS prefetch',
  'preconnect',
  'WebRTC',
] as const

/** Builds a page that requests addresses in all ways, and shows "tried everything" at the end. */
export function buildWaysPage(urls: readonly string[]): string {
  const quoted = JSON.stringify(urls).replaceAll('<', String.raw`\u003c`)
  return `<!doctype html><html lang=en><title>Ways</title><body><script>
const add = (tag, set) => document.body.append(Object.assign(document.createElement(tag), set))
const attempt = (run) => { try { return run() } catch {} }
const work = ${quoted}.flatMap((url) => {
  add('img', { src: '/away?' + encodeURIComponent(url) })
  add('script', { src: url })
  add('iframe', { src: url })
  add('img', { src: url })
  add('link', { rel: 'stylesheet', href: url })
  add('link', { rel: 'dns-prefetch', href: url })
  add('link', { rel: 'preconnect', href: url })
  attempt(() => new WebSocket(url.replace(/^http/, 'ws')))
  attempt(() => new EventSource(url))
  attempt(() => navigator.sendBeacon(url, 'x'))
  const code = 'fetch(' + JSON.stringify(url) + ', { mode: "no-cors" }).catch(() => {}).finally(() => postMessage(1))'
  const worker = new Worker(URL.createObjectURL(new Blob([code])))
  const host = attempt(() => new URL(url).host) || url
  attempt(() => {
    const peer = new RTCPeerConnection({ iceServers: [{ urls: 'stun:' + host }] })
    peer.createDataChannel('x')
    peer.createOffer().then((offer) => peer.setLocalDescription(offer)).catch(() => {})
  })
  return [
    fetch(url, { mode: 'no-cors' }).catch(() => {}),
    new Promise((resolve) => { worker.onmessage = worker.onerror = () => { worker.terminate(); resolve() } }),
  ]
})
Promise.allSettled(work).then(() => add('p', { textContent: 'tried everything' }))
</script>`
}
