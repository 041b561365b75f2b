import { urlDetector } from './url-detector.ts'

export const asset = urlDetector(
  'asset',
  'loaded',
  'A URL that the page loads, scripts included: images, style sheets, fonts, icons, media, `url()` in styles',
)
