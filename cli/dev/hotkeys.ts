/** Keys that `svc dev` listens to while it runs at a terminal. */
import { emitKeypressEvents, type Key } from 'node:readline'
import type { Client } from '../../client/index.js'
import { describeFailure } from '../base/failure.js'
import { formatTime, requestWords } from '../logs/log-line.js'
import { changeLines } from '../tail/change-lines.js'
import { describeNote } from '../tail/notes.js'
import { openTail, type Tail } from '../tail/open-tail.js'
import { openControl } from '../target/control.js'
import type { EmulatorInfo } from '../target/emulator-file.js'
import { openDashboard } from '../target/open-dashboard.js'
import { onStderr, onStdout } from '../terminal/colour.js'
import { printableLines } from '../terminal/text-width.js'
import { loginKey } from './login-key.js'
import type { LoggedRequest, RequestLog } from './request-log.js'
import { createSample } from './sample.js'
import { openScreen } from './screen.js'

export interface Watched {
  readonly client: Client
  readonly emulator: EmulatorInfo
  /** The state folder. */
  readonly folder: string
  readonly requests: RequestLog
  /** Returns more text for the status line. */
  readonly about: () => readonly string[]
}

interface Hotkey {
  /** The help text that `?` shows. */
  readonly words: string
  readonly press: () => Promise<void> | void
}

const redrawMilliseconds = 500

/** Listens until the returned function is called, which restores the terminal. Does nothing without a terminal. */
export function listenToKeys(watched: Watched, input: NodeJS.ReadStream = process.stdin): () => void {
  if (!input.isTTY) return () => undefined
  const { client, emulator, folder, requests } = watched
  const screen = openScreen()
  const tail = tailSwitch(client)
  const login = loginKey(emulator, { say, print })
  const lines = requestSwitch(requests)
  const keys: Readonly<Record<string, Hotkey>> = {
    t: { words: 'show or hide events', press: tail.toggle },
    r: { words: 'show or hide requests', press: lines.toggle },
    n: { words: 'create a document', press: () => createOne(client, tail.isOn()) },
    l: { words: 'log in through the identity provider', press: login.begin },
    m: { words: 'show the newest mail', press: () => showMail(emulator) },
    o: { words: 'open the dashboard', press: () => openDashboard(emulator, folder) },
    c: { words: 'clear the terminal', press: screen.clear },
    '?': { words: 'show these keys', press: () => say(help(keys)) },
    q: { words: 'stop, like Ctrl-C', press: interrupt },
  }
  const redraw = () =>
    screen.status(formatStatus(watched, [...(tail.isOn() ? ['events'] : []), ...(lines.isOn() ? ['requests'] : [])]))
  const timer = setInterval(redraw, redrawMilliseconds)
  const restore = () => input.setRawMode(false)
  // Queues the keys, so that fast ones do not overlap.
  let work: Promise<void> = Promise.resolve()
  const onKey = (text: string | undefined, { name = text ?? '', ctrl }: Key) => {
    // In raw mode, the terminal sends no signals.
    if (ctrl) return name === 'c' ? interrupt() : undefined
    const key = Object.hasOwn(keys, name) ? keys[name] : undefined
    if (key) work = work.then(key.press).catch(sayFailure).then(redraw)
  }
  emitKeypressEvents(input)
  input.setRawMode(true)
  input.on('keypress', onKey)
  input.resume()
  process.on('exit', restore)
  redraw()
  return () => {
    clearInterval(timer)
    tail.off()
    login.off()
    requests.show(undefined)
    input.off('keypress', onKey)
    process.off('exit', restore)
    restore()
    input.pause()
    screen.close()
  }
}

function formatStatus({ emulator, requests, about }: Watched, shown: readonly string[]): string {
  const { all, failed } = requests.counts()
  const count = `${all} ${all === 1 ? 'request' : 'requests'}${failed === 0 ? '' : `, ${failed} failed`}`
  const showing = shown.length === 0 ? [] : [`showing ${shown.join(' and ')}`]
  return [emulator.url, ...about(), count, ...showing, '? for keys'].join(' · ')
}

function help(keys: Readonly<Record<string, Hotkey>>): string {
  return Object.entries(keys)
    .map(([name, { words }]) => `  ${name}  ${words}`)
    .join('\n')
}

function interrupt(): void {
  process.kill(process.pid, 'SIGINT')
}

async function createOne(client: Client, isShown: boolean): Promise<void> {
  const { id, collection } = await createSample(client)
  if (!isShown) say(`Created ${id} in ${collection}. Press t to show events.`)
}

async function showMail(emulator: EmulatorInfo): Promise<void> {
  const { mail } = openControl(emulator)
  const [newest] = (await mail.list({ limit: 1 })).mails
  if (!newest) return say('No mail yet.')
  const { to, subject, links, codes } = await mail.get({ id: newest.id })
  print([`"${subject}" to ${to}`, ...links, ...codes].join('\n  '))
}

/** Turns the request lines on and off. */
function requestSwitch(requests: RequestLog) {
  let isOn = false
  return {
    isOn: () => isOn,
    toggle() {
      isOn = !isOn
      requests.show(isOn ? showRequest : undefined)
      say(isOn ? 'Showing requests. Press r to hide them.' : 'Hiding requests.')
    },
  }
}

function showRequest(request: LoggedRequest): void {
  process.stdout.write(`${onStdout.dim(formatTime(request.time))}  ${requestWords({ ...request }, onStdout)}\n`)
}

/** Turns the events of all collections on and off. */
function tailSwitch(client: Client) {
  let running: AbortController | undefined

  async function show(tail: Tail) {
    for await (const event of tail.events()) {
      if (event.type === 'event')
        process.stdout.write(`${changeLines(event.collection, event.change, event.before, new Date())}\n`)
      else say(describeNote(event))
    }
    tail.close()
  }

  function off() {
    running?.abort()
    running = undefined
  }

  return {
    isOn: () => running !== undefined,
    off,
    async toggle() {
      if (running) {
        off()
        return say('Hiding events.')
      }
      running = new AbortController()
      const { signal } = running
      const tail = await openTail(client, [], {}, signal).catch((error) => {
        if (signal.aborted) return
        off()
        throw error
      })
      if (!tail) return
      say('Showing events. Press t to hide them.')
      show(tail).catch((error) => {
        if (running?.signal === signal) off()
        sayFailure(error)
      })
    },
  }
}

function sayFailure(error: unknown) {
  say(describeFailure(error).message)
}

/** Prints text that may hold a token to stdout, which is a terminal here. stderr may be a file. */
function print(words: string) {
  process.stdout.write(`${onStdout.dim(printableLines(words))}\n`)
}

function say(words: string) {
  process.stderr.write(`${onStderr.dim(printableLines(words))}\n`)
}
