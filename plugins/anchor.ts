import { urlDetector } from './url-detector.ts'

export const anchor = urlDetector('anchor', 'content', 'The URL that a link of the page leads to')
