/** Starts the app of `svc dev -- …` with address and key in its environment, and stops it with the emulator. */
import { signalAll, untilEnded } from '../exec/process-tree.js'
import { type StartedCommand, startCommand } from '../exec/start-command.js'
import type { EmulatorInfo } from '../target/emulator-file.js'

export interface AppBeside extends Pick<StartedCommand, 'ended'> {
  /** Stops the app and all its child processes. `signal` is the one that the emulator received. */
  stop(signal: NodeJS.Signals): Promise<void>
}

const millisecondsToEndByItself = 700
const millisecondsToEnd = 1_300
/** Waits for a killed process to disappear, because some containers never reap orphans. */
const millisecondsToBeGone = 100

export function startBeside(
  words: readonly string[],
  { url, wsUrl, apiKey }: Pick<EmulatorInfo, 'url' | 'wsUrl' | 'apiKey'>,
  { isStdoutOurs }: { isStdoutOurs: boolean },
): AppBeside {
  const app = startCommand(words, { env: { SVC_URL: url, SVC_WS_URL: wsUrl, SVC_API_KEY: apiKey }, isStdoutOurs })
  return {
    ended: app.ended,
    async stop(signal) {
      const processes = await app.processes()
      // A terminal has already sent Ctrl-C to all processes. Many apps abort their shutdown at a second signal.
      if (signal === 'SIGINT') await untilEnded(processes, millisecondsToEndByItself)
      const inTime = performance.now() + millisecondsToEnd
      const killing = setTimeout(() => signalAll(processes, 'SIGKILL'), millisecondsToEnd)
      await app.signal('SIGTERM', processes)
      await untilEnded(processes, inTime + millisecondsToBeGone - performance.now())
      clearTimeout(killing)
    },
  }
}
