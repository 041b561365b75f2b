import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Collects the licences of the packages whose modules are bundled, because most licences must accompany each copy.
 * @param {Iterable<string>} modules paths of modules
 * @returns {string} a text with the licence of each package
 * @throws {Error} for a package without a licence file or field
 */
export function collectLicences(modules) {
  const folders = new Set()
  for (const path of modules) {
    const [, folder] = /^(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(path) ?? []
    if (folder !== undefined) folders.add(folder)
  }
  const texts = [...folders].map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
    const files = readdirSync(folder).filter((file) => /^(?:licen[cs]e|copying)\b/i.test(file))
    if (files.length === 0 && typeof license !== 'string') throw new Error(`${folder} has no licence`)
    const text = files.map((file) => readFileSync(join(folder, file), 'utf8').trim()).join('\n\n') || license
    return `${name} ${version}\n\n${text}\n`
  })
  return `This package contains code of the following packages, under their licences.\n\n${texts.sort().join('\n---\n\n')}`
}
