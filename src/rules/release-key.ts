/**
 * The public key of released rulesets: Ed25519, SPKI, base64 on one line. `tools/run release-rules --new-key FILE` makes a key
 * pair and prints this line; the private half stays outside of the repository. Null until there is a release key: operators then set
 * `RULES_PUBLIC_KEY`.
 */
export const RELEASE_PUBLIC_KEY: string | null = null
