import { onStderr } from '../terminal/colour.js'
import { wrapWords } from '../terminal/prose.js'
import { jsonText, printable, printableLines } from '../terminal/text-width.js'
import type { Failure } from './failure.js'

const besideWords = 'error  '.length

interface PrintOptions {
  readonly json: boolean
  /** Where each line of stdout is JSON of its own. */
  readonly isOneLine?: boolean
  /** What ends, on stdout, the member of an object that was begun: the failure becomes the next one of it. */
  readonly afterMember?: string | undefined
  readonly error: unknown
}

/** Tells of a failure on stderr, or on stdout as JSON, and leaves its exit code. A stack only under --debug. */
export function printFailure(failure: Failure, { json, isOneLine = false, afterMember, error }: PrintOptions): void {
  process.exitCode = failure.exit
  if (json) {
    const { code, message, hint, exit } = failure
    const text = jsonText({ error: { code, message, hint: hint ?? null, exit } }, isOneLine ? 0 : 2)
    process.stdout.write(`${afterMember === undefined ? text : `${afterMember},${text.slice(1)}`}\n`)
  } else {
    process.stderr.write(`${onStderr.red('error')}  ${fitted(failure.message)}\n`)
    for (const line of failure.hint?.split('\n') ?? []) process.stderr.write(`       ${fitted(line)}\n`)
  }
  if (process.argv.includes('--debug') && error instanceof Error)
    process.stderr.write(`${printableLines(stacks(error))}\n`)
}

/** No word is broken at the edge of the terminal; in a pipe a line stays a line. */
function fitted(text: string): string {
  const words = printable(text)
  const { isTTY, columns } = process.stderr
  return isTTY && columns > 0 ? wrapWords(words, columns - besideWords, besideWords) : words
}

function stacks(error: Error): string {
  const stack = error.stack ?? error.message
  return error.cause instanceof Error ? `${stack}\ncaused by ${stacks(error.cause)}` : stack
}
