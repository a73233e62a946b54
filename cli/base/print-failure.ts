import { onStderr } from '../terminal/colour.js'
import { wrapWords } from '../terminal/prose.js'
import { jsonText, printable, printableLines } from '../terminal/text-width.js'
import type { Failure } from './failure.js'
import { nextCommand } from './next-command.js'

const indent = 'error  '.length

interface PrintOptions {
  /** Id of the command. */
  readonly id?: string | undefined
  readonly json: boolean
  /** Whether each line of stdout is a JSON object. */
  readonly isOneLine?: boolean
  /** Closes the unfinished member of an object on stdout. The failure becomes the next member. */
  readonly afterMember?: string | undefined
  readonly error: unknown
}

/** Prints a failure to stderr, or to stdout as JSON, and sets the exit code. Prints a stack only with --debug. */
export function printFailure(
  failure: Failure,
  { id, json, isOneLine = false, afterMember, error }: PrintOptions,
): void {
  process.exitCode = failure.exit
  if (json) {
    const { code, message, hint, exit } = failure
    const text = jsonText(
      { error: { code, message, hint: hint ?? null, next: nextCommand(failure, id), exit } },
      isOneLine ? 0 : 2,
    )
    process.stdout.write(`${afterMember === undefined ? text : `${afterMember},${text.slice(1)}`}\n`)
  } else {
    process.stderr.write(`${onStderr.red('error')}  ${fitted(failure.message)}\n`)
    for (const line of failure.hint?.split('\n') ?? []) process.stderr.write(`       ${fitted(line)}\n`)
  }
  if (process.argv.includes('--debug') && error instanceof Error)
    process.stderr.write(`${printableLines(stacks(error))}\n`)
}

/** Wraps text at the edge of a terminal. Does not wrap in a pipe. */
function fitted(text: string): string {
  const words = printable(text)
  const { isTTY, columns } = process.stderr
  return isTTY && columns > 0 ? wrapWords(words, columns - indent, indent) : words
}

function stacks(error: Error): string {
  const stack = error.stack ?? error.message
  return error.cause instanceof Error ? `${stack}\ncaused by ${stacks(error.cause)}` : stack
}
