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
  /** Where it was written, until it is discarded. */
  readonly file: string
  discard(): Promise<void>
}

/**
 * Lets the user edit JSON in their editor, again as long as it is none and they want to mend it.
 *
 * @throws {CliFailure} naming the file, which stays, if it ends without a JSON object; or if the editor fails, naming the file
 * if they have changed it.
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
    const isToMend = await wantsToMend(read.problem).catch((cause) => {
      throw keptIn(file, cause)
    })
    if (!isToMend) throw keptIn(file, invalid)
  }
}

/** The same failure, saying where to find what was written. */
export function keptIn(file: string, cause: unknown): CliFailure {
  return reworded(cause, () => ({ hint: `What you wrote is in ${file}` }))
}

/** Editors that draw on a terminal: without one they hang, or fill a pipe with control characters. */
const ofTerminals = [
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
 * The editor of $VISUAL or $EDITOR. A script or an editor with a window needs no terminal.
 *
 * @throws {CliFailure} with exit 2 where it needs one and there is none; `instead` says what does it then.
 */
export function requireEditor(instead: string): string {
  const editor = process.env.VISUAL || process.env.EDITOR || (process.platform === 'win32' ? 'notepad' : 'vi')
  const isTerminal = process.stdin.isTTY && (process.stdout.isTTY || process.stderr.isTTY)
  if (isTerminal || !ofTerminals.includes(basename(commandOf(editor)))) return editor
  throw misuse(
    `The editor "${commandOf(editor)}" needs a terminal, and there is none.`,
    `Without an editor: ${instead}. Or set EDITOR to a script that edits the file it is given.`,
  )
}

function commandOf(editor: string): string {
  return editor.trim().split(/\s+/)[0] ?? editor
}

async function openEditor(editor: string, file: string): Promise<void> {
  // Results may be read from stdout: what the editor draws does not belong there.
  const stdio: StdioOptions = ['inherit', process.stdout.isTTY ? 'inherit' : 2, 'inherit']
  // A shell reads its words, as for git: a path in quotes may hold spaces. Where it waits for the editor, Ctrl-C must not end it either.
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
      `The editor "${commandOf(editor)}" ended with ${code}; nothing was saved.`,
    )
}

/** A terminal sends Ctrl-C and Ctrl-\ to this process too, where they are meant for the editor: it says what follows. */
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
  const hint = 'Name one that is there: EDITOR=nano svc docs edit …'
  const message = `The editor "${commandOf(editor)}" cannot be started.`
  return new CliFailure('NO_EDITOR', exits.failed, message, hint, { cause })
}

async function wantsToMend(problem: string): Promise<boolean> {
  const { confirm } = await import('@inquirer/prompts')
  return confirm({ message: printable(`${problem} Mend it?`) }, { output: process.stderr })
}

function readObject(text: string): { fields: JsonObject } | { problem: string } {
  try {
    const fields: unknown = parseExactJson(withoutMark(text), (literal) => warnKeptAsText('the editor', literal))
    return isObject(fields) ? { fields } : { problem: 'That is not a JSON object.' }
  } catch (error) {
    // It quotes the text, line breaks and all.
    const reason = error instanceof Error ? error.message.replace(/\s*\n\s*/g, ' ') : ''
    return { problem: `That is not JSON: ${reason}.` }
  }
}
