import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/**
 * Collects garbage and returns the bytes that this process then holds: the heap and the buffers outside of it. Unlike the
 * resident size, this does not depend on what other test files of the process have left.
 */
export function measureMemory(): number {
  setFlagsFromString('--expose-gc')
  runInNewContext('gc')() // Only a context that is created after setting the flag has this function.
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}
