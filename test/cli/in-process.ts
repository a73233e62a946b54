/** Runs commands in the process of the test, hundreds of them: a start of Node for each would take minutes. */
import { existsSync, readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Config } from '@oclif/core/config'
import { isExit } from '../../cli/base/failure.js'
import type { SvcCommand } from '../../cli/base/svc-command.js'
import { cleanEnv, type Ran } from './command-line.js'

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

async function classOf(id: string): Promise<CommandClass> {
  const path = join(root, 'cli/commands', ...id.split(':'))
  const file = existsSync(`${path}.ts`) ? `${path}.ts` : join(path, 'index.ts')
  const { default: command } = await import(file)
  command.id = id
  return command
}

export interface InProcess {
  readonly folder: string
  /** Runs the command of that id, as `docs:list`. It has no terminal. */
  run(id: string, words: readonly string[]): Promise<Ran>
  close(): Promise<void>
}

/** An empty working folder, isolated from the machine's own settings, and this process in it until it is closed. */
export async function openInProcess(env: Readonly<Record<string, string>> = {}): Promise<InProcess> {
  const before = process.cwd()
  const folder = await mkdtemp(join(tmpdir(), 'svc-cli-'))
  process.chdir(folder)
  return {
    folder,
    run: async (id, words) =>
      runClass(await classOf(id), words, { isTerminal: false, env: { ...cleanEnv(folder), ...env } }),
    async close() {
      process.chdir(before)
      await rm(folder, { recursive: true, force: true })
    },
  }
}

let config: Config | undefined

/** Runs a command in the current folder, and answers its exit code and what it printed. */
export async function runInProcess(words: readonly string[], options: RunInProcess): Promise<Ran> {
  const id = idOf(words)
  return runClass(await classOf(id), words.slice(id.split(':').length), options)
}

export async function runClass(
  command: CommandClass,
  words: readonly string[],
  { isTerminal, env }: RunInProcess,
): Promise<Ran> {
  config ??= await Config.load({ root, userPlugins: false, devPlugins: false })
  const before = { env: process.env, exitCode: process.exitCode }
  process.env = { PATH: process.env.PATH, NO_COLOR: '1', ...env }
  process.exitCode = undefined
  for (const stream of [process.stdin, process.stderr]) stream.isTTY = isTerminal
  const printed = capture()
  try {
    await command.run([...words], config).catch((error) => {
      if (!isExit(error)) throw error
      process.exitCode = error.oclif.exit
    })
    return { exit: Number(process.exitCode ?? 0), stdout: printed.stdout, stderr: printed.stderr }
  } finally {
    printed.stop()
    process.env = before.env
    process.exitCode = before.exitCode
  }
}

/** Collects what is printed until it is stopped. */
function capture() {
  const before = { log: console.log, stdout: process.stdout.write, stderr: process.stderr.write }
  const printed = {
    stdout: '',
    stderr: '',
    stop() {
      console.log = before.log
      process.stdout.write = before.stdout
      process.stderr.write = before.stderr
    },
  }
  for (const name of ['stdout', 'stderr'] as const) {
    process[name].write = (text: string | Uint8Array) => {
      printed[name] += text
      return true
    }
  }
  // The framework prints results with it, and the test runner has replaced it.
  console.log = (text = '') => {
    printed.stdout += `${text}\n`
  }
  return printed
}
