import type { Detector } from '../src/engine/page/detector.ts'

export const inline: Detector = {
  key: 'inline',
  about: 'An inline script, of any type except JSON; also a script that a tag container adds',
  family: 'code',
  word: 'literal',
  *read({ scripts, tags }) {
    for (const text of scripts) yield { name: '', text }
    for (const { scripts: added, through, isConditional } of tags ?? [])
      for (const text of added) yield { name: '', text, through, isConditional }
  },
}
