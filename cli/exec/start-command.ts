/** Starts the command that `svc exec` and `svc dev` run with their emulator. Ends it if this process is killed. */
import { execa } from 'execa'
import { noCommand } from '../dev/app-command.js'
import { signalExitCode } from './pass-signals.js'
import { openProcessWatch, processTree, signalAll } from './process-tree.js'

export interface CommandOptions {
  readonly env: Readonly<Record<string, string>>
  /** Whether this process writes results to stdout, so that the output of the command goes to stderr. */
  readonly isStdoutOurs: boolean
}

export interface StartedCommand {
  /** The exit code, or 128 plus the number of the signal. Rejects with exit 4 if the command does not exist. */
  readonly ended: Promise<number>
  /** Returns the pids of the command and of its running descendants. Empty if the command does not exist. */
  processes(): Promise<readonly number[]>
  /** Sends a signal to the command and, once it has ended, to those of `processes` that still run. */
  signal(name: NodeJS.Signals, processes: readonly number[]): Promise<void>
}

export function startCommand(
  [command = '', ...words]: readonly string[],
  { env, isStdoutOurs }: CommandOptions,
): StartedCommand {
  const watch = openProcessWatch()
  const child = execa(command, words, {
    stdin: 'inherit',
    stdout: isStdoutOurs ? process.stderr : 'inherit',
    stderr: 'inherit',
    env,
    preferLocal: true,
    buffer: false,
    reject: false,
    // The sender of a signal decides when to kill.
    forceKillAfterDelay: false,
  })
  const { pid } = child
  if (pid !== undefined) watch.begin(pid)
  return {
    ended: child.finally(watch.callOff).then(({ exitCode, signal, code }) => {
      if (exitCode !== undefined) return exitCode
      if (signal) return signalExitCode(signal)
      throw noCommand(command, `${code}`)
    }),
    processes: async () => (pid === undefined ? [] : processTree(pid)),
    async signal(name, processes) {
      child.kill(name)
      // Waits, because the command may pass the signal on, and many apps abort their shutdown at a second one.
      await child
      signalAll(processes, name)
    },
  }
}
