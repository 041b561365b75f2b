import { EXIT, type Main } from './command.ts'

/**
 * Runs a command as this process: its result is the exit code.
 * @param program the command of the package that runs it, which help and errors name; in a checkout they name npm scripts
 */
export async function runMain(main: Main, args: readonly string[], program?: string): Promise<void> {
  // A reader that closes the pipe early (`| head`) is not an error.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(EXIT.ok)
    process.stderr.write(`cannot write to standard output: ${error.message}\n`)
    process.exit(EXIT.failed)
  })
  const { env, stdin, stdout, stderr } = process
  process.exitCode = await main([...args], { env, stdin, stdout, stderr, ...(program && { program }) })
}
