/** Runs the command of `svc exec`, and passes the signals of this process on to it. */
import { signalEchoes } from '../base/stop-signal.js'
import { type CommandOptions, type StartedCommand, startCommand } from './start-command.js'

/** Waits this long for a command that received Ctrl-C from the terminal, before sending it another. */
const millisecondsToEndByItself = 2_000

export interface RunningCommand extends Pick<StartedCommand, 'ended'> {
  /** Passes on a signal of this process. */
  pass(signal: NodeJS.Signals): void
}

export function runCommand(words: readonly string[], options: CommandOptions): RunningCommand {
  const command = startCommand(words, options)
  let hasInterrupted = false
  const isEcho = signalEchoes()
  const send = async (signal: NodeJS.Signals) => command.signal(signal, await command.processes())
  return {
    ended: command.ended,
    pass(signal) {
      if (isEcho(signal)) return
      // A terminal sends Ctrl-C to both processes. Many commands abort their shutdown at a second one.
      const isTheirsToo = signal === 'SIGINT' && !hasInterrupted && process.stdin.isTTY === true
      hasInterrupted ||= signal === 'SIGINT'
      if (isTheirsToo) setTimeout(() => void send(signal), millisecondsToEndByItself).unref()
      else void send(signal)
    },
  }
}
