import type { PageBodyInput } from '../../../src/engine/page/page-input.ts'

/** Parts of a container of Google Tag Manager. It has two conditions of its own: every page (0), and clicks (1). */
export interface GooglePart {
  readonly tags: readonly object[]
  readonly macros?: readonly object[]
  readonly predicates?: readonly object[]
  readonly rules?: readonly unknown[]
  readonly runtime?: readonly unknown[]
  readonly permissions?: object
}

/** Writes a container of Google Tag Manager whose tags all run on every page, unless `rules` says otherwise. */
export function writeGoogle({
  tags,
  macros = [],
  predicates = [],
  rules,
  runtime = [],
  permissions = {},
}: GooglePart): string {
  const events = ['gtm.js', 'gtm.click'].map((arg1) => ({ function: '_eq', arg0: ['macro', 0], arg1 }))
  const resource = {
    version: '3',
    macros: [{ function: '__e' }, ...macros],
    tags,
    predicates: [...events, ...predicates],
    rules: rules ?? [
      [
        ['if', 0],
        ['add', ...tags.keys()],
      ],
    ],
  }
  // As Google writes it: characters of HTML are escaped.
  const data = JSON.stringify({ resource, runtime, permissions }).replaceAll('<', '\\u003C').replaceAll('/', '\\/')
  return `\n// Copyright 2012 Google Inc. All rights reserved.\n(function(){\n\nvar data = ${data};\nvar library={"GTM-9Z9Z9Z":"__baut"};})();`
}

/** The address of a container of Google Tag Manager. */
export const GOOGLE_URL = 'https://www.googletagmanager.com/gtm.js?id=GTM-0A1B2C'

/** A container of Google Tag Manager as a script of a page. */
export function google(part: GooglePart): PageBodyInput {
  return { url: GOOGLE_URL, text: writeGoogle(part) }
}
