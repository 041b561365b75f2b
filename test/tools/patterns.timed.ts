import { expect, test } from 'vitest'
import { findSuperLinear } from '../../tools/patterns/pump-worker.ts'

test.each([
  ['two adjacent repeats', 'http-equiv\\s*=\\s*["\']?\\s*refresh', 'i'],
  ['a start at every position', '[^/:#]*$', ''],
  ['a repeat without an end', '\\[[^\\]]*\\]', 'g'],
  ['an optional lead', '(?:\\/\\/)?\\s*\\]\\]>$', ''],
  ['letters of other scripts', '^[α-ω]+[β一]+!$', 'u'],
  ['a repeat of a group', '^(?:ab)*(?:a|b)*c$', ''],
])('pumped texts show %s', (_, pattern, flags) => {
  expect(findSuperLinear({ pattern, flags, more: [] })).not.toBeNull()
})
