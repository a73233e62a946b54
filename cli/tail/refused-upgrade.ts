/** Reads why a service refused a WebSocket from its response to the upgrade, which `ws` does not expose. */
import type { IncomingMessage } from 'node:http'
import { WebSocket } from 'ws'
import { parseJson } from '../../client/protocol/model/json.js'
import { decodeError } from '../../client/protocol/wire/errors/decode.js'
import { isTransient } from '../../client/send.js'
import { CliFailure, exitForStatus, exits } from '../base/failure.js'

const maxBytes = 10_000

/** Makes a WebSocket that reports permanent refusals. The client retries all others. */
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
  const error = decodeError(status, header, parseJson(await readStart(response)), `GET ${pathname} answered ${status}.`)
  if (isTransient(error)) return undefined
  const message = `${host} refused the WebSocket (${status}): ${error.message}`
  const exit = status < 400 ? exits.failed : exitForStatus(status)
  return new CliFailure(error.code, exit, message, explainStatus(status))
}

function explainStatus(status: number): string {
  if (status === 401 || status === 403) return 'The key may not receive events. Check it: svc whoami'
  return 'The service has no WebSockets, or a proxy blocks them. Try --transport sse.'
}

async function readStart(response: IncomingMessage): Promise<string> {
  let text = ''
  try {
    for await (const piece of response.setEncoding('utf8')) {
      text += piece
      if (text.length > maxBytes) break
    }
  } catch {
    // Uses the part that was received.
  }
  return text
}
