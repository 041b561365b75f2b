import { escapeUTF8 } from 'entities'
import { buildClassTrait, buildIdTrait } from '../propose/prefix-traits.ts'
import type { Trait } from '../propose/trait.ts'
import type { Gap } from './gap-counter.ts'

/** Builds the trait from which a rule about a gap is proposed. */
export function buildGapTrait({ kind, key, examples }: Gap): Trait {
  const [{ shown }] = examples
  switch (kind) {
    case 'generator':
      return {
        clause: { meta: 'generator', has: key },
        name: key,
        shown: { head: `<meta name="generator" content="${escapeUTF8(shown)}">` },
      }
    case 'credit': {
      const sentence = shown.replace(/ \([^()]*\)$/, '')
      return { clause: { text: sentence }, name: key, shown: { body: `<p>${escapeUTF8(sentence)}</p>` } }
    }
    case 'site':
      return {
        clause: { url: key.slice(1) },
        name: key.slice(2),
        shown: { url: `https://harbour-books${key.slice(1)}/` },
      }
    case 'resource':
      return { clause: { asset: key }, name: key, shown: { head: `<script src="https://${key}/a.js"></script>` } }
    case 'package': {
      const path = `/${key.replace(/^.*\//, '')}`
      return { clause: { script: `${path}*` }, name: key, shown: { head: `<script src="${path}.js"></script>` } }
    }
    case 'header':
      return { clause: { header: key }, name: key, shown: { header: [key.replace('*', '1'), '1'] } }
    case 'cookie':
      return { clause: { cookie: key }, name: key, shown: { header: ['set-cookie', `${key.replace('*', '1')}=1`] } }
    case 'global': {
      const name = key.replace('*', '')
      return {
        clause: { inline: name },
        name,
        shown: { head: `<script>window.${name}${key.endsWith('*') ? 'a' : ''} = {}</script>` },
      }
    }
    case 'class':
      return buildClassTrait(key)
    case 'id':
      return buildIdTrait(key)
  }
}
