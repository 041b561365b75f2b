import type { Detector } from '../src/engine/page/detector.ts'
import { buildContainers } from './tags/example-containers.ts'

export const tag: Detector = {
  key: 'tag',
  about:
    'A tag in the container of a tag manager, by its kind: `__hjtc` of Google Tag Manager, `google-tag:AW` for a Google tag with such an id',
  family: 'loaded',
  word: 'value',
  wordForm: { says: 'a kind of tag as docs/rules.md lists them: __hjtc', pattern: '^\\S.{2,}$' },
  seen: (page) => page.tags !== null,
  areCodes: true,
  example: (word) => ({
    hits: [],
    misses: [],
    scripts: { hits: buildContainers([word]), misses: buildContainers([], word) },
  }),
  *read({ tags }, wanted) {
    for (const { kinds, through, isConditional } of tags ?? [])
      for (const kind of kinds) if (wanted.has(kind)) yield { name: kind, text: kind, through, isConditional }
  },
}
