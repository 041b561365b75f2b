import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'
import { dts } from 'rolldown-plugin-dts'

/**
 * Bundles the types of an entry, with those that they import, into one file: packages contain no others.
 * @param {string} input the declaration file that tsc has written, from the folder of the project
 * @param {string} folder where `<name>.d.ts` is written
 * @param {string} name
 */
export async function bundleTypes(input, folder, name) {
  const bundle = await rolldown({
    cwd: fileURLToPath(new URL('..', import.meta.url)),
    input: { [name]: input },
    external: (id) => !/^[./]/.test(id),
    plugins: [dts({ dtsInput: true, emitDtsOnly: true, tsconfig: false })],
  })
  await bundle.write({ dir: folder, format: 'esm', entryFileNames: '[name].ts', comments: { legal: false } })
  await bundle.close()
}
