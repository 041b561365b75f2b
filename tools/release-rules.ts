import { writeRelease } from './releases/write-release.ts'

try {
  process.stdout.write(`${writeRelease(process.argv.slice(2))}\n`)
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`)
  process.exitCode = 2
}
