import * as Args from '@oclif/core/args'
import * as Flags from '@oclif/core/flags'
import { changeKinds } from '../../client/protocol/model/change.js'
import { eventGroups } from '../../client/protocol/model/events/emulator-event.js'
import { adapterFor } from '../base/deployed-client.js'
import { CliFailure, exits, misuse } from '../base/failure.js'
import { emulatorOfRunOrHere, noEmulatorAsked } from '../base/here.js'
import { stopSignal } from '../base/stop-signal.js'
import { TargetCommand } from '../base/target-command.js'
import { documentFields, emptyResultNotes } from '../documents/empty-result.js'
import { conditionFlags, readWhere, whereFlags } from '../documents/where-flag.js'
import { changeLines } from '../tail/change-lines.js'
import { execute, forward } from '../tail/deliver.js'
import { graceSeconds, maxSecondsToOpen, openEnding, tooFew, unlessAborted } from '../tail/ending.js'
import { eventLine } from '../tail/event-line.js'
import { eventLines } from '../tail/event-lines.js'
import { everything, type Seen } from '../tail/everything.js'
import { describeNote } from '../tail/notes.js'
import { type Tail as OpenTail, openTail, type Shown } from '../tail/open-tail.js'
import { reportingSocket } from '../tail/refused-upgrade.js'
import { openControl } from '../target/control.js'
import { onStderr } from '../terminal/colour.js'
import { asDuration } from '../terminal/duration-flag.js'
import { counted } from '../terminal/print.js'
import { prose } from '../terminal/prose.js'
import { jsonText } from '../terminal/text-width.js'

interface AllFlags {
  readonly max: number | undefined
  readonly timeout: number | undefined
  readonly only: string | undefined
  readonly last: number | undefined
}

/** Leaves out events about the stream itself, which are always shown. */
const groups = Object.keys(eventGroups).filter((group) => group !== 'stream')

interface TailWork {
  readonly events: readonly string[] | undefined
  readonly max: number | undefined
  readonly exec: string | undefined
  readonly forwardTo: string | undefined
}

export default class Tail extends TargetCommand {
  static override summary = 'Stream realtime events.'
  static override description =
    prose(`Shows the events of all collections, including new ones, unless you name some. Shows each event once and in order, even if
the connection is lost in between.

With --all, shows everything that happens in the emulator of this folder. Filter it with --only.

With --json, prints one JSON object per line: first {"type":"ready"}, then {"type":"event"} for each change, and "lost", "back",
"ended", "again" and "resync" for the connection. --timeout counts from the start; 0 ends the command as soon as it listens.

Exits with 7 if it could not listen in time, or if fewer events than --max came in time. Exits with 1 if --exec or --forward-to failed.`)
  static override examples = [
    '<%= config.bin %> tail posts',
    '<%= config.bin %> tail --where status=published --events created,updated',
    '<%= config.bin %> tail posts --max 1 --timeout 10s --json | tail -n 1 | jq .document.data',
    "<%= config.bin %> tail orders --events created --exec 'jq -r .id >> new-orders.txt'",
    '<%= config.bin %> tail --all --only login,mail,request',
    '<%= config.bin %> tail orders --forward-to http://localhost:3000/hooks/orders',
  ]
  static override usage = 'tail [COLLECTION...]'
  static override args = {
    collection: Args.string({ multiple: true, description: 'collections to follow [default: all]' }),
  }
  static override flags = {
    ...whereFlags,
    events: Flags.option({
      options: changeKinds,
      multiple: true,
      multipleNonGreedy: true,
      delimiter: ',',
      description: 'only these events',
    })(),
    transport: Flags.option({
      options: ['ws', 'sse'] as const,
      default: 'ws',
      description: 'WebSocket (ws) or server-sent events (sse)',
    })(),
    since: Flags.integer({ min: 0, description: 'start after the change with this number', helpValue: 'seq' }),
    max: Flags.integer({ min: 1, description: 'stop after this many events' }),
    timeout: Flags.integer({
      ...asDuration({ unit: 's' }),
      description: 'stop after this time: 30s, 5m, or a number of seconds',
    }),
    exec: Flags.string({
      description: 'command to run for each event, with the event as JSON on stdin',
      helpValue: 'command',
    }),
    'forward-to': Flags.string({ description: 'address to POST each event to, as JSON', helpValue: 'url' }),
    all: Flags.boolean({
      description: 'all events of the emulator: users, logins, files, mail, refused requests and more',
      exclusive: [
        ...conditionFlags,
        'events',
        'transport',
        'since',
        'exec',
        'forward-to',
        'url',
        'key',
        'profile',
        'as',
      ],
    }),
    only: Flags.string({
      dependsOn: ['all'],
      description: `with --all, only these: ${groups.join(', ')}, or kinds such as mail.sent`,
      helpValue: 'kinds',
    }),
    last: Flags.integer({ dependsOn: ['all'], min: 0, description: 'with --all, number of past events to show first' }),
  }

  protected readonly access = 'read'

  async run() {
    const { argv, flags } = await this.parse(Tail)
    if (flags.all) return this.tailAll(argv.map(String), flags)
    const { events, max, exec, since, transport, timeout } = flags
    const wanted = { events, max, exec, forwardTo: readAddress(flags['forward-to']) }
    const refusal = new AbortController()
    const WebSocket = reportingSocket((failure) => refusal.abort(failure))
    const client = await this.ownerClient(flags, { transport, WebSocket })
    const { listsCollections } = adapterFor(this.requireTarget(flags).dialect)
    const asked = { where: readWhere(flags), since, target: this.there(''), listsCollections }
    const stop = stopSignal()
    const ending = openEnding(stop.signal, timeout)
    const signal = AbortSignal.any([ending.signal, refusal.signal])
    try {
      const tail = await unlessAborted(openTail(client, argv.map(String), asked, signal), signal)
      if (!tail) {
        refusal.signal.throwIfAborted()
        if (!stop.signal.aborted) throw notOpen(this.requireTarget({}).url, timeout)
        process.exitCode = stop.exit()
        return
      }
      this.sayReady(tail, transport)
      ending.opened()
      const { shown, failed } = await this.show(tail, wanted, ending.deadline).finally(tail.close)
      refusal.signal.throwIfAborted()
      this.note(counted(shown, 'event'))
      if (shown === 0) {
        const [only, another] = argv.map(String)
        // Someone who presses Ctrl-C does not want to wait for more requests.
        const isKnown = only !== undefined && another === undefined && !stop.signal.aborted
        const fields = isKnown ? documentFields(client, only) : undefined
        await this.noteEmptyResult(() => emptyResultNotes(flags, fields))
      }
      if (stop.signal.aborted) process.exitCode = stop.exit()
      else if (max !== undefined && shown < max) throw tooFew(shown, max, 'events', timeout)
      else if (failed > 0) process.exitCode = exits.failed
    } finally {
      ending.end()
      stop.release()
    }
  }

  private async tailAll(words: readonly string[], flags: AllFlags): Promise<void> {
    if (words.length > 0) throw misuse('--all cannot be combined with collections.', 'Leave out one of them.')
    const { max, only, last, timeout } = flags
    const emulator = emulatorOfRunOrHere(undefined)
    if (!emulator) throw noEmulatorAsked()
    const connect = () => openControl(emulatorOfRunOrHere(undefined) ?? emulator)
    const stop = stopSignal()
    const ending = openEnding(stop.signal, timeout)
    let isOpen = false
    let shown = 0
    try {
      for await (const seen of everything(connect, { kinds: only, last }, ending.signal)) {
        if (seen.type === 'ready') {
          isOpen = true
          ending.opened()
        }
        this.printSeen(seen, emulator.url)
        if (seen.type === 'event' && ++shown === max) break
      }
    } finally {
      ending.end()
      stop.release()
    }
    this.note(counted(shown, 'event'))
    if (stop.signal.aborted) process.exitCode = stop.exit()
    else if (!isOpen) throw notOpen(emulator.url, timeout)
    else if (max !== undefined && shown < max) throw tooFew(shown, max, 'events', timeout)
  }

  private printSeen(seen: Seen, url: string) {
    const { type } = seen
    if (this.jsonEnabled()) {
      const line = type === 'event' ? { type, ...seen.event } : type === 'ready' ? { type, url } : seen
      return this.printLine(line)
    }
    if (type === 'event') this.log(eventLines(seen.event))
    else if (type === 'ready') this.note(`Listening to all events at ${url}. Press Ctrl-C to stop.`, onStderr.dim)
    else this.note(connectionNotes[type], onStderr.yellow)
  }

  protected override printsLines(): boolean {
    return true
  }

  private async show(
    tail: OpenTail,
    wanted: TailWork,
    deadline: AbortSignal,
  ): Promise<{ shown: number; failed: number }> {
    let shown = 0
    let failed = 0
    let undelivered = 0
    for await (const event of tail.events()) {
      if (event.type === 'event' && wanted.events && !wanted.events.includes(event.change.kind)) continue
      this.print(event)
      if (event.type !== 'event') continue
      if (deadline.aborted && hasReceiver(wanted)) undelivered++
      else failed += await this.deliver(event, wanted, deadline)
      if (++shown === wanted.max) break
    }
    if (undelivered > 0) {
      this.note(`${counted(undelivered, 'event')} not delivered within ${graceSeconds} s after the end`, onStderr.red)
    }
    return { shown, failed: failed + undelivered }
  }

  /** Delivers in the order of the events, one at a time. Returns how many deliveries failed. */
  private async deliver(
    event: Shown & { type: 'event' },
    { exec, forwardTo }: TailWork,
    deadline: AbortSignal,
  ): Promise<number> {
    const line = eventLine(event)
    const faults = [
      exec === undefined ? undefined : await execute(exec, line, { isQuiet: this.jsonEnabled(), deadline }),
      forwardTo === undefined ? undefined : await forward(forwardTo, line, deadline),
    ].filter((fault) => fault !== undefined)
    for (const fault of faults) this.note(`failed  ${fault}`, onStderr.red)
    return faults.length
  }

  private sayReady({ collections }: OpenTail, transport: 'ws' | 'sse') {
    const { url } = this.requireTarget({})
    if (this.jsonEnabled()) this.printLine({ type: 'ready', url, transport, collections })
    const names = collections.length === 0 ? 'new collections' : collections.join(', ')
    this.note(`Listening to ${names} at ${url}. Press Ctrl-C to stop.`, onStderr.dim)
  }

  private print(event: Shown) {
    if (event.type === 'event') {
      if (this.jsonEnabled()) return this.printLine(eventLine(event))
      return this.log(changeLines(event.collection, event.change, event.before, new Date()))
    }
    const words = describeNote(event)
    if (!this.jsonEnabled()) return this.note(words, onStderr.yellow)
    if (event.type !== 'ended') return this.printLine(event)
    const { code, message } = event.error
    this.printLine({ type: 'ended', collection: event.collection, code, message })
  }

  private printLine(value: object) {
    process.stdout.write(`${jsonText(value)}\n`)
  }
}

const connectionNotes = {
  lost: 'Lost the connection to the emulator. Reconnecting.',
  back: 'Reconnected to the emulator.',
}

function hasReceiver({ exec, forwardTo }: TailWork): boolean {
  return exec !== undefined || forwardTo !== undefined
}

function readAddress(text: string | undefined): string | undefined {
  if (text === undefined || (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol))) return text
  throw misuse(
    `Invalid address "${text}" for --forward-to.`,
    'Use http:// or https://, for example http://localhost:3000/hook.',
  )
}

function notOpen(url: string, seconds = 0): CliFailure {
  const message = `Could not listen to the events of ${url} within ${seconds || maxSecondsToOpen} s.`
  return new CliFailure('TIME_OUT', exits.network, message)
}
