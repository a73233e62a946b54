import { formatBytes } from '../../client/protocol/model/figures.js'
import { wholeText } from '../../seeds/fetch-over-http.js'
import { CliFailure, exits } from '../base/failure.js'

/** More than any answer of the service, whose answers end at 32 MB. Files and exports are streamed. */
const maxTextBytes = 256 * 1024 * 1024

/** Reads an answer that is held in memory. @throws {CliFailure} if it is larger than 256 MB; the rest is not read */
export function boundedText(bytes: AsyncIterable<Uint8Array>): Promise<string> {
  return wholeText(bounded(bytes))
}

async function* bounded(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let length = 0
  for await (const piece of bytes) {
    length += piece.length
    if (length > maxTextBytes) {
      const message = `The answer is larger than ${formatBytes(maxTextBytes)}, so it was not read to its end.`
      throw new CliFailure('ANSWER_TOO_LARGE', exits.network, message, 'Check the address: --url or SVC_URL.')
    }
    yield piece
  }
}
