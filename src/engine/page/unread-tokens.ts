import type { TokenizerCallbacks } from 'htmlparser2'

/** The tokens that readers of a few tags do not read. A reader adds its own callbacks. */
export abstract class UnreadTokens implements TokenizerCallbacks {
  abstract onopentagname(start: number, end: number): void
  abstract onopentagend(): void
  abstract onattribname(start: number, end: number): void
  abstract onattribdata(start: number, end: number): void
  abstract onattribend(): void
  abstract onclosetag(start: number, end: number): void
  abstract ontext(start: number, end: number): void

  onselfclosingtag(): void {
    this.onopentagend()
  }

  isInForeignContext(): boolean {
    return false
  }

  onattribentity(): void {}
  oncdata(): void {}
  oncomment(): void {}
  ondeclaration(): void {}
  onend(): void {}
  onprocessinginstruction(): void {}
  ontextentity(): void {}
}
