/** Why a service opens no WebSocket: its answer to the upgrade, which sockets keep to themselves. */
import type { IncomingMessage } from 'node:http'
import { WebSocket } from 'ws'
import { parseJson } from '../../client/protocol/model/json.js'
import { decodeError } from '../../client/protocol/wire/errors/decode.js'
import { isTransient } from '../../client/send.js'
import { CliFailure, exitOfStatus, exits } from '../base/failure.js'

const mostBytes = 10_000

/** A WebSocket that reports a refusal that will not pass. The client tries others again. */
export function reportingSocket(onRefused: (failure: CliFailure) => void): new (url: string) => WebSocket {
  return class extends WebSocket {
    constructor(url: string) {
      super(url)
      this.once('unexpected-response', async (_, response) => {
        const failure = await readRefusal(url, response)
        if (failure) onRefused(failure)
        this.terminate()
      })
    }
  }
}

async function readRefusal(address: string, response: IncomingMessage): Promise<CliFailure | undefined> {
  const { statusCode: status = 0, headers } = response
  const { host, pathname } = new URL(address)
  const header = (name: string) => headers[name]?.toString()
  const error = decodeError(
    status,
    header,
    parseJson(await beginningOf(response)),
    `GET ${pathname} answered ${status}.`,
  )
  if (isTransient(error)) return undefined
  const message = `${host} refused the WebSocket (${status}): ${error.message}`
  const exit = status < 400 ? exits.failed : exitOfStatus(status)
  return new CliFailure(error.code, exit, message, meaningOf(status))
}

function meaningOf(status: number): string {
  if (status === 401 || status === 403) return 'The key is not good for events: svc whoami'
  return 'It has no WebSockets there, or a proxy in front of it does not pass them on. Try --transport sse.'
}

async function beginningOf(response: IncomingMessage): Promise<string> {
  let text = ''
  try {
    for await (const piece of response.setEncoding('utf8')) {
      text += piece
      if (text.length > mostBytes) break
    }
  } catch {
    // What came of it is enough.
  }
  return text
}
