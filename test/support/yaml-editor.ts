import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { NODE_ARGS } from './node-args.ts'

/** A problem that an editor underlines. Lines count from 1. */
export interface Diagnostic {
  readonly line: number
  readonly message: string
}

interface Message {
  readonly id?: number
  readonly method?: string
  readonly params?: unknown
  readonly result?: unknown
}

interface PublishedDiagnostics {
  readonly uri: string
  readonly diagnostics: readonly {
    readonly range: { readonly start: { readonly line: number } }
    readonly message: string
  }[]
}

const SERVER = join(
  dirname(createRequire(import.meta.url).resolve('yaml-language-server/package.json')),
  'bin',
  'yaml-language-server',
)

/**
 * An editor without a window: it opens texts as files of a folder, with the settings in `.vscode/settings.json` of this
 * folder, and queries yaml-language-server about them, as Visual Studio Code does.
 */
export class YamlEditor {
  readonly #root: string
  readonly #server: ChildProcess
  readonly #settings: Readonly<Record<string, unknown>>
  readonly #requests = new Map<number, (result: unknown) => void>()
  readonly #published = new Map<string, (diagnostics: readonly Diagnostic[]) => void>()
  #received = Buffer.alloc(0)
  #lastId = 0

  /** @param root the folder that is opened as the workspace */
  constructor(root: string) {
    this.#root = root
    this.#settings = JSON.parse(readFileSync(join(root, '.vscode', 'settings.json'), 'utf8')) as Record<string, unknown>
    this.#server = spawn(process.execPath, [...NODE_ARGS, SERVER, '--stdio'], { stdio: ['pipe', 'pipe', 'inherit'] })
    this.#server.stdout?.on('data', (data: Buffer) => this.#receive(data))
  }

  /** Starts the language server in the folder. */
  async open(): Promise<void> {
    const uri = pathToFileURL(this.#root).href
    const capabilities = {
      workspace: { configuration: true, workspaceFolders: true, didChangeConfiguration: { dynamicRegistration: true } },
      textDocument: { publishDiagnostics: {}, hover: { contentFormat: ['plaintext'] } },
    }
    const workspaceFolders = [{ uri, name: 'project' }]
    await this.#request('initialize', { processId: null, rootUri: uri, capabilities, workspaceFolders })
    this.#send({ method: 'initialized', params: {} })
  }

  /** Opens a text as a file. @returns its problems, in the order of their lines */
  diagnose(file: string, text: string): Promise<readonly Diagnostic[]> {
    const uri = this.#toUri(file)
    return new Promise((resolve) => {
      this.#published.set(uri, resolve)
      this.#send({
        method: 'textDocument/didOpen',
        params: { textDocument: { uri, languageId: 'yaml', version: 1, text } },
      })
    })
  }

  /** Suggests what to insert in an open file, at the `|` of the text that `diagnose` was given. */
  async complete(file: string, position: { line: number; character: number }): Promise<string[]> {
    const params = { textDocument: { uri: this.#toUri(file) }, position }
    const { items } = (await this.#request('textDocument/completion', params)) as { items: { label: string }[] }
    return items.map(({ label }) => label)
  }

  /** The text that appears above a position of an open file. */
  async hover(file: string, position: { line: number; character: number }): Promise<string> {
    const params = { textDocument: { uri: this.#toUri(file) }, position }
    return JSON.stringify(await this.#request('textDocument/hover', params))
  }

  close(): void {
    this.#server.kill()
  }

  #toUri(file: string): string {
    return pathToFileURL(join(this.#root, file)).href
  }

  #request(method: string, params: unknown): Promise<unknown> {
    const id = ++this.#lastId
    return new Promise((resolve) => {
      this.#requests.set(id, resolve)
      this.#send({ id, method, params })
    })
  }

  #send(message: Message): void {
    const json = JSON.stringify({ jsonrpc: '2.0', ...message })
    this.#server.stdin?.write(`Content-Length: ${Buffer.byteLength(json)}\r\n\r\n${json}`)
  }

  #receive(data: Buffer): void {
    this.#received = Buffer.concat([this.#received, data])
    for (;;) {
      const end = this.#received.indexOf('\r\n\r\n')
      const [, length] = /Content-Length: (\d+)/i.exec(this.#received.toString('latin1', 0, Math.max(0, end))) ?? []
      const start = end + 4
      if (end < 0 || this.#received.length < start + Number(length)) return
      const json = this.#received.toString('utf8', start, start + Number(length))
      this.#received = this.#received.subarray(start + Number(length))
      this.#handle(JSON.parse(json) as Message)
    }
  }

  #handle({ id, method, params, result }: Message): void {
    if (method === undefined) this.#requests.get(Number(id))?.(result)
    else if (method === 'textDocument/publishDiagnostics') this.#publish(params as PublishedDiagnostics)
    else if (id !== undefined)
      this.#send({ id, result: method === 'workspace/configuration' ? this.#configure(params) : null })
  }

  /** The settings that the server requests, section by section. */
  #configure(params: unknown): unknown[] {
    const { items } = params as { items: { section: string }[] }
    return items.map(({ section }) => {
      const own = Object.entries(this.#settings).filter(([key]) => key.startsWith(`${section}.`))
      return Object.fromEntries(own.map(([key, value]) => [key.slice(section.length + 1), value]))
    })
  }

  #publish({ uri, diagnostics }: PublishedDiagnostics): void {
    const found = diagnostics.map(({ range, message }) => ({ line: range.start.line + 1, message }))
    this.#published.get(uri)?.(found.sort((a, b) => a.line - b.line))
  }
}
