/**
 * Requests in flight at a time. More would block the thread of a slow machine for so long that the connection to Redis is given up;
 * limits are then kept by each process alone.
 */
const AT_A_TIME = 200

/** Sends requests concurrently, at most 200 at a time. @returns their answers in order */
export async function sendAll<T>(count: number, send: (i: number) => Promise<T>): Promise<T[]> {
  const answers: T[] = []
  while (answers.length < count) {
    const length = Math.min(AT_A_TIME, count - answers.length)
    answers.push(...(await Promise.all(Array.from({ length }, (_, i) => send(answers.length + i)))))
  }
  return answers
}
