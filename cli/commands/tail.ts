import * as Args from '@oclif/core/args'
import * as Flags from '@oclif/core/flags'
import { changeKinds } from '../../client/protocol/model/change.js'
import { eventGroups } from '../../client/protocol/model/events/emulator-event.js'
import { CliFailure, exits, misuse } from '../base/failure.js'
import { emulatorOfRunOrHere, noEmulatorAsked } from '../base/here.js'
import { stopSignal } from '../base/stop-signal.js'
import { TargetCommand } from '../base/target-command.js'
import { documentFields, emptyResultNotes } from '../documents/empty-result.js'
import { readWhere, whereFlags } from '../documents/where-flag.js'
import { changeLines } from '../tail/change-lines.js'
import { execute, forward } from '../tail/deliver.js'
import { endingOf, graceSeconds, mostSecondsToOpen, tooFew, unlessAborted } from '../tail/ending.js'
import { eventLine } from '../tail/event-line.js'
import { eventLines } from '../tail/event-lines.js'
import { everything, type Seen } from '../tail/everything.js'
import { noteOf } from '../tail/notes.js'
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

/** Of the stream itself is no choice. */
const groups = Object.keys(eventGroups).filter((group) => group !== 'stream')

interface Wanted {
  readonly events: readonly string[] | undefined
  readonly max: number | undefined
  readonly exec: string | undefined
  readonly forwardTo: string | undefined
}

export default class Tail extends TargetCommand {
  static override summary = 'Show realtime events.'
  static override description =
    prose(`Without a collection it shows all of them, those too that are made while it runs. Each event is shown once and in
order, also when the connection was lost in between. A collection that is deleted and made again is shown again.

With --all it shows everything that happens in the emulator of this folder, not changes of documents alone; --only chooses.

Under --json each line is JSON of its own: first {"type":"ready"}, then an {"type":"event"} for each change, and "lost",
"back", "ended", "again" and "resync" as they come about. --timeout counts from the start; with 0 it ends as soon as it
listens. It exits with 7 when nothing could be listened to in time, or too few events for --max came in time; with 1 when a
command of --exec or an address of --forward-to failed.`)
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
    collection: Args.string({ multiple: true, description: 'names of collections [default: all]' }),
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
    transport: Flags.option({ options: ['ws', 'sse'] as const, default: 'ws', description: 'WebSocket or SSE' })(),
    since: Flags.integer({ min: 0, description: 'start after this change', helpValue: 'seq' }),
    max: Flags.integer({ min: 1, description: 'stop after this many events' }),
    timeout: Flags.integer({
      ...asDuration({ unit: 's' }),
      description: 'stop after this time: 30s, 5m, or a number of seconds',
    }),
    exec: Flags.string({ description: 'command that gets each event as JSON on stdin', helpValue: 'command' }),
    'forward-to': Flags.string({ description: 'address that each event is posted to, as JSON', helpValue: 'url' }),
    all: Flags.boolean({
      description: 'everything that happens in the emulator: users, logins, files, mail, refused requests and more',
      exclusive: ['where', 'or', 'events', 'transport', 'since', 'exec', 'forward-to', 'url', 'key', 'profile', 'as'],
    }),
    only: Flags.string({
      dependsOn: ['all'],
      description: `of --all, these: ${groups.join(', ')}, or kinds such as mail.sent`,
      helpValue: 'kinds',
    }),
    last: Flags.integer({ dependsOn: ['all'], min: 0, description: 'of --all, begin with so many of the last events' }),
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
    const asked = { where: readWhere(flags.where, flags.or), since, target: this.there('') }
    const stop = stopSignal()
    const ending = endingOf(stop.signal, timeout)
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
        // Nobody who stops it waits for more requests.
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
    if (words.length > 0) throw misuse('--all is of the whole emulator, not of a collection.', 'Leave out one of both.')
    const { max, only, last, timeout } = flags
    const emulator = emulatorOfRunOrHere(undefined)
    if (!emulator) throw noEmulatorAsked()
    const connect = () => openControl(emulatorOfRunOrHere(undefined) ?? emulator)
    const stop = stopSignal()
    const ending = endingOf(stop.signal, timeout)
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
    else if (type === 'ready') this.note(`listening to everything at ${url}; Ctrl-C ends it`, onStderr.dim)
    else this.note(connectionNotes[type], onStderr.yellow)
  }

  protected override printsLines(): boolean {
    return true
  }

  private async show(
    tail: OpenTail,
    wanted: Wanted,
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
      this.note(`${counted(undelivered, 'event')} left undelivered ${graceSeconds} s after the end`, onStderr.red)
    }
    return { shown, failed: failed + undelivered }
  }

  /** One after the other, so that what they do happens in the order of the events. Answers how many of them failed. */
  private async deliver(
    event: Shown & { type: 'event' },
    { exec, forwardTo }: Wanted,
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
    const names = collections.length === 0 ? 'collections to come' : collections.join(', ')
    this.note(`listening to ${names} at ${url}; Ctrl-C ends it`, onStderr.dim)
  }

  private print(event: Shown) {
    if (event.type === 'event') {
      if (this.jsonEnabled()) return this.printLine(eventLine(event))
      return this.log(changeLines(event.collection, event.change, event.before, new Date()))
    }
    const words = noteOf(event)
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
  lost: 'The connection to the emulator was lost; trying again.',
  back: 'The emulator is there again.',
}

function hasReceiver({ exec, forwardTo }: Wanted): boolean {
  return exec !== undefined || forwardTo !== undefined
}

function readAddress(text: string | undefined): string | undefined {
  if (text === undefined || (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol))) return text
  throw misuse(`Not a valid address to forward to: "${text}".`, 'Use --forward-to http://localhost:3000/hook.')
}

function notOpen(url: string, seconds = 0): CliFailure {
  const message = `The events of ${url} could not be listened to within ${seconds || mostSecondsToOpen} s.`
  return new CliFailure('TIME_OUT', exits.network, message)
}
