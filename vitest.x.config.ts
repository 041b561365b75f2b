import base from './vitest.config.ts'
import { existsSync } from 'node:fs'
import { resolve, dirname } from 'node:path'
const root = process.cwd()
const b: any = base
export default { ...b, plugins: [{ name: 'dist', enforce: 'pre', resolveId(id: string, importer?: string) {
  if (!importer || !id.startsWith('.')) return null
  const path = resolve(dirname(importer.split('?')[0]), id)
  const m = path.startsWith(root + '/src/') || path.startsWith(root + '/plugins/')
  if (!m || !/\.tsx?$/.test(path)) return null
  const js = root + '/dist' + path.slice(root.length).replace(/\.tsx?$/, '.js')
  return existsSync(js) ? { id: js, external: true } : null
} }] }
