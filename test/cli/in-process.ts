/** Commands that run in this process, hundreds of them in the time that a few processes would take. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Config } from '@oclif/core/config'
import { isExit } from '../../cli/base/failure.js'
import type { Ran } from './command-line.js'

const root = fileURLToPath(new URL('../../', import.meta.url))

interface CommandClass {
  id: string
  run(argv: readonly string[], config: Config): Promise<unknown>
}

export interface InProcess {
  readonly folder: string
  /** Runs the command of that id, as `docs:list`. It has no terminal. */
  run(id: string, words: readonly string[]): Promise<Ran>
  close(): Promise<void>
}

/** An empty working folder, isolated from the machine's own settings, and this process in it until it is closed. */
export async function openInProcess(env: Readonly<Record<string, string>> = {}): Promise<InProcess> {
  const before = { cwd: process.cwd(), env: process.env }
  const folder = await mkdtemp(join(tmpdir(), 'svc-cli-'))
  const config = await Config.load({ root, userPlugins: false, devPlugins: false })
  process.chdir(folder)
  const { PATH = '' } = before.env
  process.env = { PATH, HOME: folder, SVC_CONFIG_DIR: join(folder, 'config'), ...env }
  return {
    folder,
    async run(id, words) {
      const path = join(root, 'cli', 'commands', ...id.split(':'))
      const { default: Command }: { default: CommandClass } = await import(`${path}.ts`).catch(
        () => import(join(path, 'index.ts')),
      )
      Command.id = id
      const printed = capture()
      process.exitCode = undefined
      try {
        await Command.run(words, config)
      } catch (error) {
        if (!isExit(error)) throw error
        process.exitCode = error.oclif.exit
      } finally {
        printed.stop()
      }
      const exit = Number(process.exitCode ?? 0)
      process.exitCode = undefined
      return { exit, stdout: printed.stdout, stderr: printed.stderr }
    },
    async close() {
      process.chdir(before.cwd)
      process.env = before.env
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** What is printed from now on, until it is stopped. */
function capture() {
  const { log } = console
  const streams = ['stdout', 'stderr'] as const
  const writes = streams.map((name) => process[name].write)
  const printed = { stdout: '', stderr: '', stop }
  for (const name of streams) {
    process[name].write = (text: string | Uint8Array) => {
      printed[name] += text
      return true
    }
  }
  // The framework prints results with it, and the test runner has put its own in its place.
  console.log = (text = '') => {
    printed.stdout += `${text}\n`
  }
  return printed

  function stop() {
    console.log = log
    for (const [at, name] of streams.entries()) process[name].write = writes[at] ?? process[name].write
  }
}
