/** The command that `svc exec` and `svc dev` run beside their emulator. If this process is killed, it ends too. */
import { execa } from 'execa'
import { noCommand } from '../dev/app-command.js'
import { exitOfSignal } from './pass-signals.js'
import { openProcessWatch, processTree, signalAll } from './process-tree.js'

export interface CommandOptions {
  readonly env: Readonly<Record<string, string>>
  /** Whether results of this process go to stdout, so that those of the command go to stderr. */
  readonly isStdoutOurs: boolean
}

export interface StartedCommand {
  /** Its exit code; 128 and the number of the signal where one ended it. Fails with exit 4 if there is no such command. */
  readonly ended: Promise<number>
  /** Its process and all that it has started, as they run now; none if there is no such command. */
  processes(): Promise<readonly number[]>
  /** Sends a signal to it and, once it has ended, to those of its processes that it has left running. */
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
    // Who sends a signal decides what follows it.
    forceKillAfterDelay: false,
  })
  const { pid } = child
  if (pid !== undefined) watch.begin(pid)
  return {
    ended: child.finally(watch.callOff).then(({ exitCode, signal, code }) => {
      if (exitCode !== undefined) return exitCode
      if (signal) return exitOfSignal(signal)
      throw noCommand(command, `${code}`)
    }),
    processes: async () => (pid === undefined ? [] : processTree(pid)),
    async signal(name, processes) {
      child.kill(name)
      // What it has handed on is not sent twice: many apps would end in the middle of their ending.
      await child
      signalAll(processes, name)
    },
  }
}
