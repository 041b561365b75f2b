/** Characters whose names distinguish products: C and C#, Foo and Foo+. */
const NAMED: Readonly<Record<string, string>> = { '+': ' plus ', '#': ' sharp ', '&': ' and ', '@': ' at ' }

/** Makes a slug from a name: `Café & Bar 2.0` becomes cafe-and-bar-2-0. Empty if the name has no letter or digit of ASCII. */
export function toSlug(name: string): string {
  return name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/[+#&@]/g, (character) => NAMED[character])
    .toLowerCase()
    .replace(/['’]/g, '')
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
}
