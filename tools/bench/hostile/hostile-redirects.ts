import type { Expected, HostileRow } from './expected.ts'
import { answer, drip, flood, head, type Play, say } from './raw-server.ts'

const END = answer('<!doctype html><title>The end</title>')
const to = (location: string, status = '302 Found'): Play => answer('', `location: ${location}`, status)
const fails = (reason: 'too_many_redirects' | 'redirect_loop' | 'redirect_refused'): Expected => ({ reason })
const html = 'content-type: text/html'
const meta = (content: string): string => `<!doctype html><meta http-equiv=refresh content="${content}">`

/** Redirects from page to page: /1, /2, … */
const chain =
  (count: number, status?: string): Play =>
  (socket, path) => {
    const at = Number(path.slice(1))
    return (at < count ? to(`/${at + 1}`, status) : END)(socket, path)
  }
const refreshes: Play = (socket, path) => answer(meta(`0;url=/${Number(path.slice(1)) + 1}`))(socket, path)

/** Sites that redirect. */
export const redirects: readonly HostileRow[] = [
  ['redirects to itself', to('/'), fails('redirect_loop')],
  ['redirects in a circle', { '/': to('/a'), '/a': to('/b'), '/b': to('/') }, fails('redirect_loop')],
  ['redirects to its own fragment', to('#top'), fails('redirect_loop')],
  ['redirects five times', chain(5), 'fine'],
  ['redirects six times', chain(6), fails('too_many_redirects')],
  ['redirects endlessly', chain(Number.POSITIVE_INFINITY, '308 P'), fails('too_many_redirects')],
  ['redirects with a slow body', { '/': drip(head('location: /b', '301 M'), 'x'), '/b': END }, 'fine'],
  ['redirects with an endless body', { '/': flood(head('location: /b', '307 T'), 'x'.repeat(999)), '/b': END }, 'fine'],
  ['redirects without a location', answer('<p>', html, '302 Found'), 'fine'],
  ['redirects with two locations', say(head('location: /a\r\nlocation: /b', '302 Found')), fails('redirect_refused')],
  ['redirects to a private address', to('http://10.0.0.1/'), fails('redirect_refused')],
  ['redirects to a file', to('file:///etc/hosts'), fails('redirect_refused')],
  ['redirects to an invalid URL', to('http://[/'), fails('redirect_refused')],
  ['redirects to a URL of 3,000 characters', to(`/${'a'.repeat(3000)}`), fails('redirect_refused')],
  ['refreshes in a header', { '/': answer('', `${html}\r\nrefresh: 0; url=/b`), '/b': END }, 'fine'],
  ['refreshes in a meta tag', { '/': answer(meta('0; url=/b')), '/b': END }, 'fine'],
  ['refreshes in noscript', answer(`<noscript>${meta('0;url=/b')}</noscript>`), 'fine'],
  ['refreshes in a comment', answer(`<!-- ${meta('0;url=/b')} -->`), 'fine'],
  ['refreshes after 5 seconds', answer(meta('5;url=/b')), 'fine'],
  ['refreshes to itself', answer(meta('0;url=/')), 'fine'],
  ['refreshes back and forth', { '/': answer(meta('0;url=/b')), '/b': answer(meta('0;url=/')) }, 'fine'],
  ['refreshes endlessly', refreshes, 'fine'],
  ['refreshes to a private address', answer(meta('0;url=http://169.254.169.254/')), 'fine'],
]
