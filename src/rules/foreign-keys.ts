/**
 * Keys of Wappalyzer's fingerprints that Siteprint names otherwise → what to write instead. Keys with the same name and
 * meaning in both, such as `meta`, are not listed.
 */
export const FOREIGN_KEYS: Readonly<Record<string, string>> = {
  cats: 'the category of a technology is its folder; a builder has `category`',
  certIssuer: 'write `{ tls: issuer, has: … }`',
  cookies: 'a cookie is `{ cookie: name, … }`',
  css: 'a text of an inline style sheet is `style: …`',
  dom: 'an element is `{ element: selector, … }`, with `attr` to test an attribute',
  headers: 'a response header is `{ header: name, … }`',
  js: 'variables of scripts are not seen; look for a text of an inline script with `inline: …`',
  scriptSrc: 'the URL of a script is `script: locator`',
  scripts: 'a text of an inline script is `inline: …`',
  xhr: 'requests of scripts are not seen; use `script: locator` or `inline: …`',
}
