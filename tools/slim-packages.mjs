// Leaves out what packages load and the sources never use.
//
// Of undici, it bundles only what the sources use: an agent, requests and the connector. Its entry also loads fetch, mocks, caches, WebSocket and
// the copy of undici in Node, 111 modules instead of 26, which is half of what the fetch thread does before its first request.
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

const library = join(dirname(createRequire(import.meta.url).resolve('undici')), 'lib')
const CLIENT_H2 = join(library, 'dispatcher/client-h2.js')
const ENTRY = '\0undici'

/** The names that the sources import. `request` is undici's own function, as its entry wraps it, for calls with a dispatcher. */
const ENTRY_CODE = `
import Agent from '${join(library, 'dispatcher/agent.js')}'
import Dispatcher from '${join(library, 'dispatcher/dispatcher.js')}'
import callRequest from '${join(library, 'api/api-request.js')}'
import buildConnector from '${join(library, 'core/connect.js')}'
Dispatcher.prototype.request = callRequest
function request(url, { dispatcher, ...options }) {
  const { origin, pathname, search } = new URL(url)
  return dispatcher.request({ method: options.body ? 'PUT' : 'GET', ...options, origin, path: pathname + search })
}
export { Agent, buildConnector, request }
`

/** HTTP/2 is off by default and in all agents of the sources; loading it loads Node's implementation. */
const CLIENT_H2_CODE = "module.exports = () => { throw new Error('HTTP/2 is not bundled') }"

/** Fastify's compilers of schemas, in whose place src/http/lazy-validators.ts is: a tenth of what a start of the service reads. */
const FASTIFY_COMPILERS = /[\\/]@fastify[\\/](?:ajv-compiler|fast-json-stringify-compiler)[\\/]index\.js$/
const FASTIFY_COMPILERS_CODE = "module.exports = () => { throw new Error('the compilers of Fastify are not bundled') }"

function loadOther(id) {
  if (id === CLIENT_H2) return CLIENT_H2_CODE
  return FASTIFY_COMPILERS.test(id) ? FASTIFY_COMPILERS_CODE : null
}

export const slimPackages = {
  name: 'slim-packages',
  resolveId: (id) => (id === 'undici' ? ENTRY : null),
  load: (id) => (id === ENTRY ? ENTRY_CODE : loadOther(id)),
}
