import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'

interface Asset {
  /** Contains a hash of the content: the path changes with it, so browsers may keep the file forever. */
  readonly path: string
  readonly type: string
  readonly content: Buffer
}

/** The style sheet, the script and the icon of all pages, and the styles of charts and tables of reports. */
export const ASSETS = {
  style: readAsset('style.css', 'text/css; charset=utf-8'),
  script: readAsset('portal.js', 'text/javascript; charset=utf-8'),
  icon: readAsset('icon.svg', 'image/svg+xml'),
  reportStyle: readAsset('report.css', 'text/css; charset=utf-8', join('..', 'report', 'assets')),
}

/** @param folder with the file, relative to this one */
function readAsset(name: string, type: string, folder = 'assets'): Asset {
  const content = readFileSync(join(import.meta.dirname, folder, name))
  const hash = createHash('sha256').update(content).digest('hex').slice(0, 16)
  return { path: `/assets/${name.replace('.', `.${hash}.`)}`, type, content }
}

/** Registers a route for each asset. */
export function registerAssets(portal: FastifyInstance): void {
  for (const { path, type, content } of Object.values<Asset>(ASSETS))
    portal.get(path, { exposeHeadRoute: true }, (_, reply) =>
      reply.type(type).header('cache-control', 'public, max-age=31536000, immutable').send(content),
    )
}
