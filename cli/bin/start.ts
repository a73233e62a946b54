import { run } from '@oclif/core/run'
import { settings } from '@oclif/core/settings'
import { describeFailure, exits, isExit } from '../base/failure.js'
import { printFailure } from '../base/print-failure.js'

/** Runs the command that the arguments name, and ends with its exit code. */
export async function start(root: string): Promise<void> {
  // The command line runs as it was built, whatever NODE_ENV says.
  settings.enableAutoTranspile = false
  stopAtClosedPipes()
  try {
    await run(process.argv.slice(2), root)
  } catch (error) {
    if (isExit(error)) process.exitCode = error.oclif.exit
    else printFailure(describeFailure(error), { json: process.argv.includes('--json'), error })
  }
  // Connections that are kept for another request would keep the process for a while.
  for (const stream of [process.stdout, process.stderr]) await written(stream)
  process.exit()
}

/** Somebody who has read enough, as `head` has, is no failure; a disk that is full is one. */
function stopAtClosedPipes() {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EPIPE') process.exit()
      if (stream === process.stdout) printFailure(describeFailure(error), { json: false, error })
      process.exit(exits.failed)
    })
  }
}

function written(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => stream.write('', () => resolve()))
}
