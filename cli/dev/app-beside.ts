/** The app that `svc dev -- …` starts: it has the address and the key in its environment, and ends with the emulator. */
import { constants } from 'node:os'
import { setTimeout as pause } from 'node:timers/promises'
import { execa } from 'execa'
import type { EmulatorInfo } from '../target/emulator-file.js'
import { noCommand } from './app-command.js'

export interface AppBeside {
  /** Its exit code; 128 and the number of the signal where one ended it. Fails with exit 4 if there is no such command. */
  readonly ended: Promise<number>
  /** Ends it as the signal says that the emulator got. */
  stop(signal: NodeJS.Signals): Promise<void>
}

const millisecondsToEndByItself = 700
const millisecondsToEnd = 1_300

export function startBeside(
  [command = '', ...words]: readonly string[],
  { url, wsUrl, apiKey }: Pick<EmulatorInfo, 'url' | 'wsUrl' | 'apiKey'>,
  { isStdoutOurs }: { isStdoutOurs: boolean },
): AppBeside {
  const child = execa(command, words, {
    stdin: 'inherit',
    stdout: isStdoutOurs ? process.stderr : 'inherit',
    stderr: 'inherit',
    env: { SVC_URL: url, SVC_WS_URL: wsUrl, SVC_API_KEY: apiKey },
    preferLocal: true,
    buffer: false,
    reject: false,
    forceKillAfterDelay: millisecondsToEnd,
  })
  const ended = child.then(({ exitCode, signal, code }) => {
    if (exitCode !== undefined) return exitCode
    if (signal) return 128 + constants.signals[signal]
    throw noCommand(command, `${code}`)
  })
  return {
    ended,
    async stop(signal) {
      // A terminal sends Ctrl-C to both; signalled twice, many apps would end in the middle of their ending.
      if (signal === 'SIGINT') await Promise.race([ended, pause(millisecondsToEndByItself, undefined, { ref: false })])
      child.kill('SIGTERM')
      await ended
    },
  }
}
