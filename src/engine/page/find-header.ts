import type { Page } from './page-types.ts'

/** Finds the first value of a response header. @param name in lower case, as the names of a page are */
export function findHeader(headers: Page['headers'], name: string): string | undefined {
  return headers?.find(([header]) => header === name)?.[1]
}
