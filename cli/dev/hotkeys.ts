/** Keys that `svc dev` listens to while it runs at a terminal. */
import { emitKeypressEvents, type Key } from 'node:readline'
import type { Client } from '../../client/index.js'
import { describeFailure } from '../base/failure.js'
import { changeLines } from '../tail/change-lines.js'
import { openTail, type Tail } from '../tail/open-tail.js'
import type { EmulatorInfo } from '../target/emulator-file.js'
import { onStderr } from '../terminal/colour.js'
import { printableLines } from '../terminal/text-width.js'
import { loginKey } from './login-key.js'
import { createSample } from './sample.js'

/** Listens until it is called; without a terminal there is nothing to listen to. */
export function listenToKeys(
  client: Client,
  emulator: EmulatorInfo,
  input: NodeJS.ReadStream = process.stdin,
): () => void {
  if (!input.isTTY) return () => undefined
  const tail = tailSwitch(client)
  const login = loginKey(emulator, say)
  const keys: Readonly<Record<string, () => Promise<void>>> = {
    t: tail.turn,
    l: login.begin,
    async n() {
      const { id, collection } = await createSample(client)
      if (!tail.isOn()) say(`created ${id} in ${collection}; t shows events`)
    },
  }
  // One after the other, however fast they are pressed.
  let work: Promise<void> = Promise.resolve()
  const onKey = (_: string | undefined, { name = '', ctrl }: Key) => {
    // In raw mode the terminal sends no signals of its own.
    if (ctrl && name === 'c') process.kill(process.pid, 'SIGINT')
    else if (!ctrl && Object.hasOwn(keys, name)) work = work.then(keys[name]).catch(sayFailure)
  }
  emitKeypressEvents(input)
  input.setRawMode(true)
  input.on('keypress', onKey)
  input.resume()
  return () => {
    tail.off()
    login.off()
    input.off('keypress', onKey)
    input.setRawMode(false)
    input.pause()
  }
}

/** The tail of all collections, on or off. */
function tailSwitch(client: Client) {
  let running: AbortController | undefined

  async function show(tail: Tail) {
    for await (const event of tail.events()) {
      if (event.type === 'event')
        process.stdout.write(`${changeLines(event.collection, event.change, event.before, new Date())}\n`)
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
    async turn() {
      if (running) {
        off()
        return say('no longer showing events')
      }
      running = new AbortController()
      const tail = await openTail(client, [], {}, running.signal).catch((error) => {
        off()
        throw error
      })
      say('showing events; t ends it')
      show(tail).catch(sayFailure)
    },
  }
}

function sayFailure(error: unknown) {
  say(describeFailure(error).message)
}

function say(words: string) {
  process.stderr.write(`${onStderr.dim(printableLines(words))}\n`)
}
