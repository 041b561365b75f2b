import { buildUrlDetector } from './url-detector.ts'

export const anchor = buildUrlDetector('anchor', 'content', 'The URL of a link in the page')
