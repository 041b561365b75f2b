import { urlDetector } from './url-detector.ts'

export const script = urlDetector('script', 'loaded', 'The URL of a script')
