/** The app that `svc dev -- …` starts: it has the address and the key in its environment, and ends with the emulator. */
import { signalAll, untilEnded } from '../exec/process-tree.js'
import { type StartedCommand, startCommand } from '../exec/start-command.js'
import type { EmulatorInfo } from '../target/emulator-file.js'

export interface AppBeside extends Pick<StartedCommand, 'ended'> {
  /** Ends it and all that it has started, as the signal says that the emulator got. */
  stop(signal: NodeJS.Signals): Promise<void>
}

const millisecondsToEndByItself = 700
const millisecondsToEnd = 1_300
/** One that is killed and that nobody waits for stays in the table of processes, for ever under some of containers. */
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
      // A terminal sends Ctrl-C to all of them; signalled twice, many apps would end in the middle of their ending.
      if (signal === 'SIGINT') await untilEnded(processes, millisecondsToEndByItself)
      const inTime = performance.now() + millisecondsToEnd
      const killing = setTimeout(() => signalAll(processes, 'SIGKILL'), millisecondsToEnd)
      await app.signal('SIGTERM', processes)
      await untilEnded(processes, inTime + millisecondsToBeGone - performance.now())
      clearTimeout(killing)
    },
  }
}
