import { get } from 'node:http'
import type { EmulatorInfo } from '../emulator-file.js'

/**
 * Waits for an answer that went the whole way: through HTTP, the key and the database. Asked by the plainest of means, since
 * `fetch` takes longer to load than this takes to be answered.
 *
 * @throws {Error} if it is no good answer.
 */
export function firstAnswer({ url, apiKey }: Pick<EmulatorInfo, 'url' | 'apiKey'>): Promise<void> {
  return new Promise((resolve, reject) => {
    const asking = get(`${url}/collections?limit=1`, { headers: { 'x-api-key': apiKey }, agent: false }, (answer) => {
      answer.resume()
      answer.once('end', () => {
        if (answer.statusCode === 200) resolve()
        else reject(new Error(`The emulator started, and answered its first request with ${answer.statusCode}.`))
      })
    })
    asking.once('error', reject)
  })
}
