import { parentPort, workerData } from 'node:worker_threads'
import { parseAllowed } from '../fetch/address.ts'
import type { RenderReply, RenderRequest, RenderSettings } from './render-thread.ts'
import { RenderError } from './render-types.ts'
import { Renderer } from './renderer.ts'

const { policy: settings, allow, ...browser } = workerData as RenderSettings
const policy = { ...settings, allow: allow.map(parseAllowed).filter((entry) => entry !== null) }
const renderer = new Renderer({ ...browser, policy })
const running = new Map<number, AbortController>()

parentPort?.on('message', (request: RenderRequest) => {
  if (request.type === 'abort') running.get(request.id)?.abort()
  else if (request.type === 'close') void close()
  else void serve(request)
})

async function serve(request: RenderRequest & { readonly type: 'render' | 'start' }): Promise<void> {
  const { id } = request
  const abort = new AbortController()
  running.set(id, abort)
  try {
    const rendered =
      request.type === 'start'
        ? await renderer.start().then(() => null)
        : await renderer.render(request.url, request.globals, abort.signal)
    reply({ type: 'done', id, rendered })
  } catch (error) {
    // Another error is that of a browser that does not start: its message says what to do.
    const failure = error instanceof RenderError ? error.failure : 'no_browser'
    reply({ type: 'error', id, failure, why: error instanceof Error ? error.message : String(error) })
  } finally {
    running.delete(id)
  }
}

function reply(message: RenderReply): void {
  parentPort?.postMessage(message)
}

/** The thread ends when its port is closed and the browser is gone. */
async function close(): Promise<void> {
  await renderer.close()
  parentPort?.close()
  process.exit()
}
