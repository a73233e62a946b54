import { formatBytes } from '../../client/protocol/model/figures.js'
import { wholeText } from '../../seeds/fetch-over-http.js'
import { CliFailure, exits } from '../base/failure.js'

/** Larger than any response of the service, which ends at 32 MB. Files and exports are streamed. */
const maxTextBytes = 256 * 1024 * 1024

/**
 * Reads a response into memory.
 *
 * @throws {CliFailure} if it exceeds 256 MB; the rest is not read
 */
export function boundedText(bytes: AsyncIterable<Uint8Array>): Promise<string> {
  return wholeText(bounded(bytes))
}

async function* bounded(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let length = 0
  for await (const piece of bytes) {
    length += piece.length
    if (length > maxTextBytes) {
      const message = `The response is larger than ${formatBytes(maxTextBytes)} and was not read completely.`
      throw new CliFailure('ANSWER_TOO_LARGE', exits.network, message, 'Check the address: --url or SVC_URL.')
    }
    yield piece
  }
}
