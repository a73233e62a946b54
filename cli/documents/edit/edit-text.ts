import { type StdioOptions, spawn } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { parseExactJson } from '../../../client/protocol/model/exact-json.js'
import { isObject, type JsonObject } from '../../../client/protocol/model/json.js'
import { warnKeptAsText, withoutMark } from '../../../seeds/json-text.js'
import { CliFailure, exits, misuse, reworded } from '../../base/failure.js'
import { printable } from '../../terminal/text-width.js'

export interface Edited {
  readonly fields: JsonObject
  /** Path of the file, until it is discarded. */
  readonly file: string
  discard(): Promise<void>
}

/**
 * Opens JSON in the user's editor, and reopens it while it is invalid and they want to fix it.
 *
 * @throws {CliFailure} naming the file, which stays, if the text is not a JSON object in the end; or if the editor
 * fails after they changed it
 */
export async function editText(
  text: string,
  options: { name: string; editor: string; mayAskAgain: boolean },
): Promise<Edited> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-edit-'))
  const file = join(folder, options.name)
  const discard = () => rm(folder, { recursive: true, force: true })
  const before = `${text}\n`
  await writeFile(file, before, { mode: 0o600 })
  for (;;) {
    await openEditor(options.editor, file).catch(async (cause) => {
      if ((await readFile(file, 'utf8').catch(() => before)) !== before) throw keptIn(file, cause)
      await discard()
      throw cause
    })
    const read = readObject(await readFile(file, 'utf8'))
    if ('fields' in read) return { fields: read.fields, file, discard }
    const invalid = new CliFailure('INVALID_BODY', exits.invalid, read.problem)
    if (!options.mayAskAgain) throw keptIn(file, invalid)
    const isRetrying = await confirmRetry(read.problem).catch((cause) => {
      throw keptIn(file, cause)
    })
    if (!isRetrying) throw keptIn(file, invalid)
  }
}

/** Adds to the error where the text is saved. */
export function keptIn(file: string, cause: unknown): CliFailure {
  return reworded(cause, () => ({ hint: `Your text is saved in ${file}` }))
}

/** Editors that draw on the terminal. Without one they hang, or write control characters to a pipe. */
const terminalEditors = [
  'vi',
  'vim',
  'nvim',
  'view',
  'nano',
  'pico',
  'emacs',
  'micro',
  'hx',
  'helix',
  'kak',
  'joe',
  'ne',
  'mcedit',
]

/**
 * Returns the editor from $VISUAL or $EDITOR. Scripts and editors with a window need no terminal.
 *
 * @throws {CliFailure} with exit 2 if the editor needs a terminal. `instead` suggests an alternative.
 */
export function requireEditor(instead: string): string {
  const editor = process.env.VISUAL || process.env.EDITOR || (process.platform === 'win32' ? 'notepad' : 'vi')
  const isTerminal = process.stdin.isTTY && (process.stdout.isTTY || process.stderr.isTTY)
  if (isTerminal || !terminalEditors.includes(basename(editorCommand(editor)))) return editor
  throw misuse(
    `The editor "${editorCommand(editor)}" needs a terminal.`,
    `Without an editor: ${instead}. Or set EDITOR to a script that edits the file.`,
  )
}

function editorCommand(editor: string): string {
  return editor.trim().split(/\s+/)[0] ?? editor
}

async function openEditor(editor: string, file: string): Promise<void> {
  // Keeps the editor's drawing out of stdout, because results may be read from it.
  const stdio: StdioOptions = ['inherit', process.stdout.isTTY ? 'inherit' : 2, 'inherit']
  // Runs in a shell, as git does, so that quoted paths may contain spaces. The shell ignores Ctrl-C while it waits for
  // the editor.
  const words =
    process.platform === 'win32' ? editor.split(' ') : ['sh', '-c', `trap : INT QUIT; ${editor} "$@"`, editor]
  const [command = editor, ...given] = words.filter((word) => word !== '')
  const keys = keysForChild()
  const code = await new Promise<number | NodeJS.Signals | null>((resolve, reject) => {
    const child = spawn(command, [...given, file], { stdio })
    child.once('error', reject)
    child.once('exit', (code, signal) => resolve(signal ?? code))
  })
    .catch((cause) => {
      throw noEditor(editor, cause)
    })
    .finally(keys.release)
  if (code === 126 || code === 127) throw noEditor(editor)
  if (code !== 0)
    throw new CliFailure(
      'CANCELLED',
      code === 'SIGINT' || code === exits.interrupted ? exits.interrupted : exits.failed,
      `The editor "${editorCommand(editor)}" exited with ${code}; nothing was saved.`,
    )
}

/**
 * Ignores Ctrl-C and Ctrl-\ while the editor runs. The terminal sends them to both processes, but they are meant for
 * the editor.
 */
function keysForChild(): { release(): void } {
  const ignore = () => undefined
  const signals = ['SIGINT', 'SIGQUIT'] as const
  for (const signal of signals) process.on(signal, ignore)
  return {
    release() {
      for (const signal of signals) process.off(signal, ignore)
    },
  }
}

function noEditor(editor: string, cause?: unknown): CliFailure {
  const hint = 'Choose an installed editor: EDITOR=nano svc docs edit …'
  const message = `The editor "${editorCommand(editor)}" could not be started.`
  return new CliFailure('NO_EDITOR', exits.failed, message, hint, { cause })
}

async function confirmRetry(problem: string): Promise<boolean> {
  const { confirm } = await import('@inquirer/prompts')
  return confirm({ message: printable(`${problem} Edit it again?`) }, { output: process.stderr })
}

function readObject(text: string): { fields: JsonObject } | { problem: string } {
  try {
    const fields: unknown = parseExactJson(withoutMark(text), (literal) => warnKeptAsText('the editor', literal))
    return isObject(fields) ? { fields } : { problem: 'The text is not a JSON object.' }
  } catch (error) {
    // The reason quotes the text, including line breaks.
    const reason = error instanceof Error ? error.message.replace(/\s*\n\s*/g, ' ') : ''
    return { problem: `The text is not valid JSON: ${reason}.` }
  }
}
