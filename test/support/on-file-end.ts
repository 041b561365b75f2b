type Cleanup = () => unknown

const cleanups: Cleanup[] = []

/**
 * Registers a cleanup that runs once, after the tests of the current file and its own hooks; the last one registered runs first.
 * For helpers, which must not call `afterAll` themselves: files share their modules, so a hook that a helper registers when it
 * is imported would run only for the first file.
 */
export function onFileEnd(cleanup: Cleanup): void {
  cleanups.push(cleanup)
}

/** Runs all cleanups, even if some fail. @throws the first of their errors */
export async function endFile(): Promise<void> {
  const errors: unknown[] = []
  for (const cleanup of cleanups.splice(0).reverse()) {
    try {
      await cleanup()
    } catch (error) {
      errors.push(error)
    }
  }
  if (errors.length > 0) throw errors[0]
}
