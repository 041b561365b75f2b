/** A line of a help that shows how a verb is called: `  npm run -s keys -- create --name N`, `  npx siteprint batches show <id>`. */
const USAGE = /^ {2}(?:npm run -s \S+ --|npx siteprint \S+) (\S+)/
/** A line of an option that several verbs share: `  --strict   lint, test: warnings count as errors.` */
const SHARED_OPTION = /^ {2}--\S/

/** A verb or several, which share a description, and its lines. */
interface VerbBlock {
  readonly verbs: readonly string[]
  readonly lines: readonly string[]
}

/**
 * Cuts the part of a command's help out that is about one verb: how it is called and what it does, the options that it shares with
 * others, and the settings and exit codes.
 * @returns the whole help if it does not describe the verb
 */
export function formatVerbHelp(help: string, verb: string): string {
  const lines = help.trim().split('\n')
  const first = lines.findIndex((line) => USAGE.test(line))
  const blocks = first < 0 ? [] : readBlocks(lines.slice(first))
  const own = blocks.filter(({ verbs }) => verbs.includes(verb))
  if (own.length === 0) return help.trim()
  const rest = lines.slice(first + blocks.reduce((sum, block) => sum + block.lines.length, 0))
  const shared = readOptions(rest).filter(({ verbs }) => verbs.includes(verb))
  const end = rest.slice(rest.lastIndexOf('') + 1)
  return [
    ...own.flatMap((block) => block.lines),
    ...(shared.length > 0 ? ['', ...shared.flatMap((option) => option.lines)] : []),
    '',
    ...end,
  ].join('\n')
}

/** Reads the lines up to the first empty one as blocks. A line of usage directly below another shares its description. */
function readBlocks(lines: readonly string[]): VerbBlock[] {
  const blocks: { verbs: string[]; lines: string[] }[] = []
  for (const line of lines) {
    if (line === '') break
    const [, verb] = USAGE.exec(line) ?? []
    const last = blocks.at(-1)
    const isAlone = last?.lines.every((one) => USAGE.test(one) && !/\S {2,}\S/.test(one)) === true
    if (verb === undefined || isAlone) last?.lines.push(line)
    if (verb !== undefined && isAlone) last?.verbs.push(verb)
    if (verb !== undefined && !isAlone) blocks.push({ verbs: [verb], lines: [line] })
  }
  return blocks
}

/** Reads the verbs before the colon of a line, which an option may precede: `  --out FILE  lint, test: text`. */
function readVerbs(line: string): string[] {
  const rest = line.replace(/^ {2,}--\S+(?: \S+)?(?= {2})/, '    ')
  const end = rest.indexOf(':')
  const names = rest.slice(0, Math.max(end, 0)).trim()
  return rest.startsWith('    ') && /^[\w, ]+$/.test(names) ? names.split(', ') : []
}

/** Reads options of several verbs. A line without the name of an option continues the one above, for other verbs. */
function readOptions(lines: readonly string[]): VerbBlock[] {
  const blocks: { verbs: string[]; lines: string[] }[] = []
  for (const line of lines) {
    const verbs = readVerbs(line)
    if (SHARED_OPTION.test(line)) blocks.push({ verbs, lines: [line] })
    else if (line.startsWith('   ')) {
      blocks.at(-1)?.lines.push(line)
      blocks.at(-1)?.verbs.push(...verbs)
    }
  }
  return blocks
}
