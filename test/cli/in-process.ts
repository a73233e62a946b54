/** Runs commands in the process of the test, hundreds of them: a start of Node for each would take minutes. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Config } from '@oclif/core/config'
import type { SvcCommand } from '../../cli/base/svc-command.js'

const root = fileURLToPath(new URL('../..', import.meta.url))

interface Manifest {
  readonly commands: { readonly [id: string]: { readonly flags: Readonly<Record<string, unknown>> } }
}
export const { commands }: Manifest = JSON.parse(readFileSync(join(root, 'oclif.manifest.json'), 'utf8'))

export interface RunInProcess {
  readonly isTerminal: boolean
  readonly env: Readonly<Record<string, string>>
}

/** The id of the command that these words begin with. */
export function idOf(words: readonly string[]): string {
  const ids = [3, 2, 1].map((length) => words.slice(0, length).join(':'))
  return ids.find((id) => Object.hasOwn(commands, id)) ?? ''
}

type CommandClass = typeof SvcCommand & (new (...given: ConstructorParameters<typeof SvcCommand>) => SvcCommand)

export async function classOf(id: string): Promise<CommandClass> {
  const path = join(root, 'cli/commands', ...id.split(':'))
  const file = existsSync(`${path}.ts`) ? `${path}.ts` : join(path, 'index.ts')
  const { default: command } = await import(file)
  command.id = id
  return command
}

let config: Config | undefined

/** Runs a command in the current folder, and answers its exit code and what it wrote to stderr. */
export async function runInProcess(words: readonly string[], options: RunInProcess) {
  const id = idOf(words)
  return runClass(await classOf(id), words.slice(id.split(':').length), options)
}

export async function runClass(command: CommandClass, words: readonly string[], { isTerminal, env }: RunInProcess) {
  config ??= await Config.load(root)
  const before = { env: process.env, write: process.stderr.write, exitCode: process.exitCode, log: console.log }
  let stderr = ''
  process.env = { PATH: process.env.PATH, NO_COLOR: '1', ...env }
  process.exitCode = undefined
  process.stderr.write = (piece: string | Uint8Array) => {
    stderr += piece
    return true
  }
  console.log = () => undefined
  for (const stream of [process.stdin, process.stderr]) stream.isTTY = isTerminal
  try {
    await command.run([...words], config)
    return { exit: Number(process.exitCode ?? 0), stderr }
  } finally {
    process.env = before.env
    process.exitCode = before.exitCode
    process.stderr.write = before.write
    console.log = before.log
  }
}
