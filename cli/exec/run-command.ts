/** The command that `svc exec` runs: whatever signal this process gets is the command's. */
import { signalEchoes } from '../base/stop-signal.js'
import { type CommandOptions, type StartedCommand, startCommand } from './start-command.js'

/** How long a command may take to end by a Ctrl-C of its own, before it is sent one. */
const millisecondsToEndByItself = 2_000

export interface RunningCommand extends Pick<StartedCommand, 'ended'> {
  /** Hands a signal on that this process got. */
  pass(signal: NodeJS.Signals): void
}

export function runCommand(words: readonly string[], options: CommandOptions): RunningCommand {
  const command = startCommand(words, options)
  let hasInterrupted = false
  const isEcho = signalEchoes()
  const hand = async (signal: NodeJS.Signals) => command.signal(signal, await command.processes())
  return {
    ended: command.ended,
    pass(signal) {
      if (isEcho(signal)) return
      // A terminal sends Ctrl-C to both; sent twice, many commands would end in the middle of their ending.
      const isTheirsToo = signal === 'SIGINT' && !hasInterrupted && process.stdin.isTTY === true
      hasInterrupted ||= signal === 'SIGINT'
      if (isTheirsToo) setTimeout(() => void hand(signal), millisecondsToEndByItself).unref()
      else void hand(signal)
    },
  }
}
