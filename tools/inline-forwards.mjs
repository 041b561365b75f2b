// A module that is imported on demand, and whose code is in a chunk that others share, gets a chunk of its own that only passes its
// exports on. A module that imports it can take them from the shared chunk, which saves a file in the package and a read at run time.
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const FORWARD = /^export \{ ([^{}]+) \} from "(\.\/[\w.-]+\.js)";\s*$/

/**
 * Replaces dynamic imports of chunks that only pass exports of one other chunk on by imports of that chunk, and removes them.
 * @param {string} folder the folder of the chunks
 */
export function inlineForwards(folder) {
  const texts = new Map(readdirSync(folder).flatMap((name) => (name.endsWith('.js') ? [[name, read(name)]] : [])))
  for (const [name, text] of [...texts]) {
    const [, exports, target] = FORWARD.exec(text) ?? []
    if (!name.startsWith('chunk-') || exports === undefined) continue
    const quoted = JSON.stringify(`./${name}`)
    if ([...texts.values()].some((other) => other.includes(`from ${quoted}`))) continue
    const members = exports.split(', ').map((one) => one.split(' as '))
    const taken = members.map(([local, exported = local]) => `${exported}: chunk.${local}`).join(', ')
    for (const [user, code] of texts)
      texts.set(user, code.replaceAll(`import(${quoted})`, `import("${target}").then((chunk) => ({ ${taken} }))`))
    texts.delete(name)
    rmSync(join(folder, name))
  }
  for (const [name, text] of texts) if (text !== read(name)) writeFileSync(join(folder, name), text)

  function read(name) {
    return readFileSync(join(folder, name), 'utf8')
  }
}
