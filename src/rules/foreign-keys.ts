/**
 * Keys of Wappalyzer's fingerprints that have another name in Siteprint → what to write instead. Keys with the same
 * name and meaning in both, such as `meta`, are not listed.
 */
export const FOREIGN_KEYS: Readonly<Record<string, string>> = {
  cats: 'the category of a technology is its folder; a builder has `category`',
  certIssuer: 'write `{ tls: issuer, has: … }`',
  cookies: 'a cookie is `{ cookie: name, … }`',
  css: 'text in an inline style sheet is `style: …`, in a linked one `stylesheet: …`',
  dom: 'an element is `{ element: selector, … }`, with `attr` to test an attribute',
  headers: 'a response header is `{ header: name, … }`',
  js: 'variables of scripts are not seen; text in a loaded script is `bundle: …`, in an inline one `inline: …`',
  scriptSrc: 'the URL of a script is `script: locator`',
  scripts: 'text in a loaded script is `bundle: …`, in an inline one `inline: …`',
  xhr: 'requests of scripts are not seen; use `script: locator` or `inline: …`',
}
