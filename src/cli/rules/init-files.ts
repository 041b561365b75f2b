// The files that `rules init` writes, except the schemas.

/** Folder of the schemas for editors, next to the rules. */
export const LOCAL_SCHEMAS = '.siteprint/schemas'

/** The example rule. @param today the day that it states as that of its evidence: YYYY-MM-DD */
export function buildRule(today: string): string {
  return `# An example of a rule: a website builder that does not exist. Its file name is its slug, and its folder is its kind.
name: Pagekiln
website: https://pagekiln.example
category: website-builder
aiNative: false
detect:
  - { meta: generator, match: '^Pagekiln(?: ([\\d.]+))?', version: 1 }
  - script: /kiln/fire.js
source: https://pagekiln.example/docs/markup
verified: ${today} # the day on which the source was read
`
}

export const RULE_TEST = `# Pages on which the rule must fire (hits), and similar pages on which it must not (misses).
hits:
  - page:
      html: |
        <!doctype html>
        <html lang="en">
        <head>
          <title>Larkfield Pottery</title>
          <meta name="generator" content="Pagekiln 2.4">
          <script src="/kiln/fire.js" defer></script>
        </head>
        <body><h1>Bowls, jugs and one teapot</h1></body>
        </html>
    confidence: high
    versions: { Pagekiln: '2.4' }
misses:
  - page:
      html: |
        <!doctype html>
        <html lang="en">
        <head><title>Pagekiln or pen and paper?</title></head>
        <body><p>Pagekiln writes its name into the generator, and loads <code>/kiln/fire.js</code>.</p></body>
        </html>
`

/** Settings of Visual Studio Code with the extension redhat.vscode-yaml. */
export const EDITOR_SETTINGS = `${JSON.stringify(
  {
    'yaml.schemas': {
      [`./${LOCAL_SCHEMAS}/folder-builders.json`]: 'rules/builders/*.yaml',
      [`./${LOCAL_SCHEMAS}/folder-hosting.json`]: 'rules/hosting/*.yaml',
      [`./${LOCAL_SCHEMAS}/folder-responses.json`]: 'rules/responses/*.yaml',
      [`./${LOCAL_SCHEMAS}/folder-site-types.json`]: 'rules/site-types/*.yaml',
      [`./${LOCAL_SCHEMAS}/folder-technologies.json`]: 'rules/technologies/*/*.yaml',
    },
  },
  null,
  2,
)}\n`

/** The workflow for GitHub. @param action its path and ref, as `uses` names it */
export function buildWorkflow(action: string): string {
  return `name: Rules
on:
  push:
    branches: [main]
  pull_request:
permissions:
  contents: read
jobs:
  rules:
    runs-on: ubuntu-latest
    timeout-minutes: 10
    steps:
      - uses: actions/checkout@v4
        with:
          persist-credentials: false
      - uses: actions/setup-node@v4
        with:
          node-version: 20
      - uses: ${action}
        with:
          folder: rules
`
}

/** The page for those who work on the rules. @param version that of the package */
export function buildReadme(version: string): string {
  return `# Siteprint rules

This folder contains rules for [Siteprint](https://www.npmjs.com/package/siteprint), which detects what websites are made with. Each rule
has a test next to it. They are checked and tested together with the rules that Siteprint ${version} brings.

Run these commands in the folder above this one, with Node 20.19 or later:

\`\`\`sh
npx siteprint@${version} rules lint
npx siteprint@${version} rules test
npx siteprint@${version} rules explain builder/pagekiln --hit 1
npx siteprint@${version} rules new builder/acme https://acme.example
RULES_DIRS=rules npx siteprint@${version} scan https://acme.example
\`\`\`

\`new\` proposes a rule and its test from a page. \`scan\` and the service use these rules if \`RULES_DIRS\` names this folder. Replace the
example \`builders/pagekiln.yaml\` by rules of your own.

| folder | what |
|---|---|
| \`builders/\` | what a site is built with |
| \`hosting/\` | where a site runs |
| \`technologies/<category>/\` | anything else that a site uses |
| \`site-types/\` | what a site is for |
| \`responses/\` | what comes back instead of a site |

Editors with the YAML language server complete the keys of rules by the schemas in \`../.siteprint/schemas/\`; \`../.vscode/settings.json\`
connects them. Where that file existed before, add the same \`yaml.schemas\`. After an update of Siteprint, or to list slugs of your own,
delete the schemas and run \`npx siteprint rules init\`, which writes what is missing and changes no file.
`
}
