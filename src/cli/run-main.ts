import { EXIT, type Main } from './command.ts'

/** Runs a command as this process: its arguments are those of the process, its result is the exit code. */
export async function runMain(main: Main, args: readonly string[]): Promise<void> {
  // A reader that closes the pipe early (`| head`) is not an error.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(EXIT.ok)
    process.stderr.write(`cannot write to standard output: ${error.message}\n`)
    process.exit(EXIT.failed)
  })
  process.exitCode = await main([...args], process)
}
