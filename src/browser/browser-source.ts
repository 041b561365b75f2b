/** Where the browser comes from: a file of Chromium, which is started, or the DevTools address of one that runs on this machine. */
export type BrowserSource = { readonly file: string } | { readonly url: string }

/** Which browser renders pages. */
export interface BrowserSettings {
  readonly source: BrowserSource
  /** Whether the browser must use its sandbox. */
  readonly sandbox: boolean
}

/** Finds the browser that the settings name; null if they name none. */
export function findBrowserSource({
  chromium,
  browserUrl,
}: {
  readonly chromium: string | null
  readonly browserUrl: string | null
}): BrowserSource | null {
  if (chromium !== null) return { file: chromium }
  return browserUrl === null ? null : { url: browserUrl }
}
