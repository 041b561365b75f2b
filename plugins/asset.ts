import { buildUrlDetector } from './url-detector.ts'

export const asset = buildUrlDetector(
  'asset',
  'loaded',
  'A URL that the page loads: scripts, images, style sheets, fonts, icons, media, `url()` in styles, what `Link` headers preload',
)
