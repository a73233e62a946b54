/** The command that `svc exec` runs: whatever signal this process gets is the command's. */
import { execa } from 'execa'
import { signalEchoes } from '../base/stop-signal.js'
import { noCommand } from '../dev/app-command.js'
import { endWithThisProcess } from './end-with-this-process.js'
import { exitOfSignal } from './pass-signals.js'

/** How long a command may take to end by a Ctrl-C of its own, before it is sent one. */
const millisecondsToEndByItself = 2_000

export interface CommandOptions {
  readonly env: Readonly<Record<string, string>>
  /** Whether results of this process go to stdout, so that those of the command go to stderr. */
  readonly isStdoutOurs: boolean
}

export interface RunningCommand {
  /** Its exit code; 128 and the number of the signal where one ended it. Fails with exit 4 if there is no such command. */
  readonly ended: Promise<number>
  /** Hands a signal on that this process got. */
  pass(signal: NodeJS.Signals): void
}

export function runCommand(
  [command = '', ...words]: readonly string[],
  { env, isStdoutOurs }: CommandOptions,
): RunningCommand {
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
  const callOff = child.pid === undefined ? () => undefined : endWithThisProcess(child.pid)
  const ended = child.finally(callOff).then(({ exitCode, signal, code }) => {
    if (exitCode !== undefined) return exitCode
    if (signal) return exitOfSignal(signal)
    throw noCommand(command, `${code}`)
  })
  let hasInterrupted = false
  const isEcho = signalEchoes()
  return {
    ended,
    pass(signal) {
      if (isEcho(signal)) return
      // A terminal sends Ctrl-C to both; sent twice, many commands would end in the middle of their ending.
      const isTheirsToo = signal === 'SIGINT' && !hasInterrupted && process.stdin.isTTY === true
      hasInterrupted ||= signal === 'SIGINT'
      if (isTheirsToo) setTimeout(() => child.kill(signal), millisecondsToEndByItself).unref()
      else child.kill(signal)
    },
  }
}
