import * as Args from '@oclif/core/args'
import * as Flags from '@oclif/core/flags'
import { type FaultInput, type FaultKind, faultKinds } from '../../../client/protocol/model/faults/fault.js'
import { ControlCommand } from '../../base/control-command.js'
import { misuse } from '../../base/failure.js'
import { whichFlags, whichRequests } from '../../faults/fault-flags.js'
import { faultRow } from '../../faults/fault-rows.js'
import { asDuration } from '../../terminal/duration-flag.js'
import { record } from '../../terminal/print.js'
import { prose } from '../../terminal/prose.js'

const kinds = Object.entries(faultKinds)
  .map(([kind, words]) => `  ${kind.padEnd(9)}  ${words}`)
  .join('\n')

/** The required flag of each kind. */
const needs: { readonly [Kind in FaultKind]?: 'ms' | 'status' | 'bytes-per-second' | 'seconds' } = {
  latency: 'ms',
  status: 'status',
  slow: 'bytes-per-second',
  flap: 'seconds',
}

export default class FaultsAdd extends ControlCommand {
  static override summary = 'Inject a fault into the emulator.'
  static override description =
    `${prose(`The fault is active until you remove it or the emulator stops. It affects the project of svc dev, unless you name another one. It
never affects the dashboard and the control API. Responses with a fault have the header svc-fault.`)}

The kinds:

${kinds}`
  static override examples = [
    '<%= config.bin %> faults add latency --ms 300 --jitter 200',
    '<%= config.bin %> faults add status --status 503 --rate 0.2 --method POST',
    "<%= config.bin %> faults add drop --when after --path '/collections/orders' --times 1",
    '<%= config.bin %> faults add database',
  ]
  static override args = {
    kind: Args.string({ required: true, description: 'kind of fault', options: Object.keys(faultKinds) }),
  }
  static override flags = {
    ...whichFlags,
    rate: Flags.string({ description: 'share of affected requests, from 0 to 1 [default: 1]', helpValue: 'share' }),
    times: Flags.integer({ min: 1, description: 'stop after this many hits' }),
    ms: Flags.integer({
      ...asDuration({ unit: 'ms', max: 60_000, isWhole: true }),
      description: 'for latency: 300ms, 2s, or a number of milliseconds',
    }),
    jitter: Flags.integer({
      ...asDuration({ unit: 'ms', max: 60_000, isWhole: true }),
      description: 'for latency: maximum random deviation',
    }),
    status: Flags.integer({ description: 'for status: HTTP status of the response' }),
    'retry-after': Flags.integer({
      ...asDuration({ unit: 's', isWhole: true }),
      description: 'for status: Retry-After of the response: 30s, 5m, or a number of seconds',
    }),
    when: Flags.option({
      options: ['before', 'after'] as const,
      description: 'for drop: before or after the request is processed',
    })(),
    'bytes-per-second': Flags.integer({ min: 1, description: 'for slow: speed of the response body' }),
    seconds: Flags.integer({
      ...asDuration({ unit: 's', min: 1, isWhole: true }),
      description: 'for flap: interval between disconnects: 30s, 5m, or a number of seconds',
    }),
  }

  protected readonly access = 'write'

  async run() {
    const { args, flags } = await this.parse(FaultsAdd)
    const kind = args.kind as FaultKind
    const need = needs[kind]
    if (need !== undefined && flags[need] === undefined)
      throw misuse(`A "${kind}" fault needs --${need}.`, 'Show the flags: svc faults add --help')
    const { times, ms, jitter, status, when, seconds } = flags
    const input: FaultInput = {
      kind,
      ...(await whichRequests(this.emulator(flags), flags)),
      ...{ rate: readRate(flags.rate), times, milliseconds: ms, jitter, status, when, seconds },
      ...{ retryAfter: flags['retry-after'], bytesPerSecond: flags['bytes-per-second'] },
    }
    const fault = await this.control(flags).faults.add(input)
    this.log(record(faultRow(fault)))
    this.note(`Remove it: svc faults remove ${fault.id}`)
    return fault
  }
}

function readRate(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const rate = Number(text)
  if (/^(0|1|0?\.\d+|1\.0+)$/.test(text) && rate >= 0 && rate <= 1) return rate
  throw misuse(`Invalid rate "${text}".`, 'Use a number from 0 to 1, for example 0.2.')
}
