/** The compiled ruleset, compressed with gzip, in base64. The build writes this module of the package `siteprint-engine`. */
export declare const compiledRuleset: string
