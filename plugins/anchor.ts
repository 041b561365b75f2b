import { buildUrlDetector } from './url-detector.ts'

export const anchor = buildUrlDetector('anchor', 'content', 'The URL that a link of the page leads to')
