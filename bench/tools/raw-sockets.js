/** Subscribers that parse just enough to count events. */
import { connect } from 'node:net'

/**
 * @typedef {{ pause: () => void, close: () => void }} Listener
 * @typedef {{ port: number, path: string, headers: Record<string, string>, first: string[], answers: number,
 *   onEvents: (many: number) => void }} Listening
 */

const text = 0x81
const ping = 0x89
const endOfHead = Buffer.from('\r\n\r\n')
const beginOfEvent = Buffer.from('\ndata:')

/**
 * Resolves after `answers` messages. Later messages are events. @param {Listening} listening @returns
 * {Promise<Listener>}
 */
export function openWebSocket({ port, path, headers, first, answers, onEvents }) {
  return new Promise((resolve, reject) => {
    let isUpgraded = false
    let waitsFor = answers
    let pending = Buffer.alloc(0)
    const socket = connect({ port, host: '127.0.0.1', noDelay: true }, () =>
      socket.write(
        head(port, path, {
          ...headers,
          connection: 'Upgrade',
          upgrade: 'websocket',
          'sec-websocket-version': '13',
          'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
        }),
      ),
    )
    const listener = createListener(socket)
    socket.on('error', reject)
    socket.on('close', () => reject(new Error('The server closed a socket.')))
    socket.on('data', (chunk) => {
      pending = pending.length === 0 ? chunk : Buffer.concat([pending, chunk])
      if (!isUpgraded && !upgrade()) return
      let many = 0
      for (let end = findFrameEnd(pending); end !== undefined; end = findFrameEnd(pending)) {
        if (pending[0] === text) many++
        if (pending[0] === ping) socket.write(Buffer.from([0x8a, 0x80, 0, 0, 0, 0]))
        pending = pending.subarray(end)
      }
      const counted = Math.max(0, many - waitsFor)
      waitsFor -= many - counted
      if (waitsFor === 0) resolve(listener)
      if (counted > 0) onEvents(counted)
    })

    function upgrade() {
      const end = pending.indexOf(endOfHead)
      if (end === -1) return false
      if (!pending.toString('latin1', 0, end).startsWith('HTTP/1.1 101')) {
        reject(new Error(pending.toString('latin1', 0, 500)))
        return false
      }
      isUpgraded = true
      pending = pending.subarray(end + endOfHead.length)
      for (const message of first) socket.write(frame(message))
      return true
    }
  })
}

/** Resolves once the response has begun. @param {Listening} listening @returns {Promise<Listener>} */
export function openEventStream({ port, path, headers, onEvents }) {
  return new Promise((resolve, reject) => {
    let isOpen = false
    let pending = Buffer.alloc(0)
    const socket = connect({ port, host: '127.0.0.1', noDelay: true }, () =>
      socket.write(head(port, path, { ...headers, accept: 'text/event-stream' })),
    )
    socket.on('error', reject)
    socket.on('close', () => reject(new Error('The server closed a stream.')))
    socket.on('data', (chunk) => {
      pending = pending.length === 0 ? chunk : Buffer.concat([pending, chunk])
      if (!isOpen) {
        if (!pending.includes(endOfHead)) return
        if (!pending.toString('latin1', 0, 12).endsWith('200')) reject(new Error(pending.toString('latin1', 0, 500)))
        isOpen = true
        resolve(createListener(socket))
      }
      let many = 0
      let from = 0
      for (let at = pending.indexOf(beginOfEvent); at !== -1; at = pending.indexOf(beginOfEvent, from)) {
        many++
        from = at + beginOfEvent.length
      }
      pending = pending.subarray(Math.max(from, pending.length - beginOfEvent.length + 1))
      if (many > 0) onEvents(many)
    })
  })
}

/** @param {import('node:net').Socket} socket @returns {Listener} */
function createListener(socket) {
  return { pause: () => socket.pause(), close: () => socket.destroy() }
}

/** @param {number} port @param {string} path @param {Record<string, string>} headers */
function head(port, path, headers) {
  const lines = Object.entries({ host: `127.0.0.1:${port}`, ...headers }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  )
  return `GET ${path} HTTP/1.1\r\n${lines.join('')}\r\n`
}

/** Builds a client frame. The mask is zero, so the text stays readable. @param {string} message */
function frame(message) {
  const bytes = Buffer.from(message)
  const length = bytes.length < 126 ? [0x80 | bytes.length] : [0xfe, bytes.length >> 8, bytes.length & 0xff]
  return Buffer.concat([Buffer.from([text, ...length, 0, 0, 0, 0]), bytes])
}

/**
 * Returns the end of the server's frame at the start of these bytes. Undefined if it is incomplete. @param {Buffer}
 * bytes
 */
function findFrameEnd(bytes) {
  if (bytes.length < 2) return undefined
  const [, short = 0] = bytes
  if (short < 126) return bytes.length >= 2 + short ? 2 + short : undefined
  const lengthBytes = short === 126 ? 2 : 8
  if (bytes.length < 2 + lengthBytes) return undefined
  const end = 2 + lengthBytes + bytes.readUIntBE(lengthBytes === 2 ? 2 : 4, lengthBytes === 2 ? 2 : 6)
  return bytes.length >= end ? end : undefined
}
