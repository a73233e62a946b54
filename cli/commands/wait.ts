import { setTimeout as pause } from 'node:timers/promises'
import * as Flags from '@oclif/core/flags'
import { calledAs } from '../base/called-as.js'
import { CliFailure, exits } from '../base/failure.js'
import { dataFlag, emulatorHere } from '../base/here.js'
import { SvcCommand } from '../base/svc-command.js'
import { isReady, isStillThere } from '../target/emulator-health.js'
import { readAddress } from '../target/target.js'
import { asDuration } from '../terminal/duration-flag.js'

// Gives a service on a busy machine time to answer, even with --timeout 0.
const minAnswerMilliseconds = 1_000

export default class Wait extends SvcCommand {
  static override summary = 'Wait until the service answers.'
  static override description =
    'Use it in scripts that start the service in the background. Exits with 7 after --timeout.'
  static override examples = [
    '<%= config.bin %> dev & <%= config.bin %> wait && npm test',
    '<%= config.bin %> wait --url http://127.0.0.1:4400 --timeout 10s',
  ]
  static override flags = {
    data: dataFlag,
    url: Flags.string({
      description: 'address to wait for [default: SVC_URL, or the emulator of this folder]',
      exclusive: ['data'],
    }),
    timeout: Flags.integer({
      ...asDuration({ unit: 's' }),
      default: 30,
      description: 'how long to wait: 30s, 5m, or a number of seconds',
    }),
  }

  protected readonly access = 'read'

  async run() {
    const { flags } = await this.parse(Wait)
    // Flags beat the environment, and so does --data.
    const address = flags.url ?? (flags.data === undefined ? process.env.SVC_URL : undefined)
    const named = address ? readAddress(address, '--url or SVC_URL') : undefined
    const begunAt = performance.now()
    const elapsed = () => (performance.now() - begunAt) / 1000
    do {
      const emulator = named ? undefined : emulatorHere(flags.data)
      const url = named ?? emulator?.url
      const left = Math.max(minAnswerMilliseconds, (flags.timeout - elapsed()) * 1000)
      // The file may be left by a killed emulator whose port another one uses by now.
      if (url && (await (emulator ? isStillThere(emulator, left) : isReady(url, left)))) {
        this.note(`${url} is ready.`)
        return { url, seconds: Number(elapsed().toFixed(2)) }
      }
      await pause(100)
    } while (elapsed() < flags.timeout)
    const [what, hint] = named
      ? [named, 'Check the address, and whether the service runs.']
      : ['The emulator of this folder', `Start it: ${calledAs()} dev`]
    throw new CliFailure('TIME_OUT', exits.network, `${what} did not answer within ${flags.timeout} s.`, hint)
  }
}
