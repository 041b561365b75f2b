/** Texts that break a page which does not escape them. */
const ATTACKS = [
  `</script><script>document.title = 'taken'</script>`,
  `</style><img src=x onerror="document.title = 'taken'">`,
  `"><svg onload="document.title = 'taken'">`,
  `javascript:document.title='taken'`,
  `--></title></textarea><iframe src="https://evil.example/">`,
  `\u202e\u0000\u001b[31mred\u2028\u2029`,
  `{{constructor.constructor('document.title = "taken"')()}}`,
]
const NAMES = [
  ...ATTACKS,
  '__proto__',
  'constructor',
  'toString',
  'No builder found',
  'x'.repeat(200_000),
  `a${'\u0301'.repeat(5000)}`,
]

/** Lines of results in which every field is hostile, and lines that are not results. */
export function buildHostileLines(): readonly string[] {
  const lines = NAMES.flatMap((name, i) => {
    const others = {
      builder: name,
      builderSlug: name,
      confidence: name,
      category: name,
      isAiNative: name,
      hosting: name,
      siteType: name,
    }
    const versions = JSON.parse(`{"__proto__": "1", ${JSON.stringify(name)}: ${JSON.stringify(name)}}`)
    const meta = { scannedAt: name, ruleset: name, status: name, title: name }
    const result = { ...others, url: name, technologies: [name, `${name}${i}`, null, 7, [name]], versions, meta }
    const url = `https://site-${i}.example/${name}`
    return [
      { url, result },
      { id: `page ${name}`, result: { ...result, url: `javascript:${name}` } },
      { url: `javascript:alert(${i})`, error: name, code: name },
    ].map((line) => JSON.stringify(line))
  })
  return [
    ...lines,
    `{"url": "https://deep.example/", "result": ${'['.repeat(100_000)}${']'.repeat(100_000)}}`,
    `{"url": "https://deep.example/", "result": {"builder": ${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}, "technologies": []}}`,
    `{"url": "https://long.example/${'y'.repeat(1_000_000)}", "result": {"builder": "${'z'.repeat(1_000_000)}", "technologies": []}}`,
    '{"url": "https://nan.example/", "result": {"builder": NaN}}',
    '{"__proto__": {"result": {}}, "url": "https://proto.example/", "result": {"__proto__": {"builder": "x"}, "technologies": {"length": 1e9}}}',
    '{"url": 1e999, "result": {"versions": [1, 2], "meta": [], "technologies": "WordPress"}}',
    ...['null', '[]', '7', '"text"', '{}', '{"url": "https://a.example/"}', '{"error": 5}', '\u0000'],
  ]
}
