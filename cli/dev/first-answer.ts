import { get } from 'node:http'
import type { EmulatorInfo } from '../target/emulator-file.js'

type Address = Pick<EmulatorInfo, 'url' | 'apiKey'>

/**
 * Waits for answers that went the whole way: to a request, and to a subscription, each through HTTP, the key and the database.
 * Asked by the plainest of means, since `fetch` takes longer to load than this takes to be answered.
 *
 * @throws {Error} if one of them is no good answer.
 */
export async function firstAnswers(address: Address): Promise<void> {
  const list = await ask(address, '/collections')
  if (list.status !== 200) throw unexpected('request', list.status)
  const [collection] = JSON.parse(list.body) as { name: string }[]
  const stream = await ask(address, `/realtime/sse/${collection?.name ?? noCollection}`)
  const expected = collection ? [200, ...notForThisKey] : [404]
  if (!expected.includes(stream.status ?? 0)) throw unexpected('subscription', stream.status)
}

/** The collection may be for users or for some roles only: then to be refused is the right answer. */
const notForThisKey = [401, 403]

/** No collection can have that name: where there is none yet, the database has to say so. */
const noCollection = 'documents'

interface FirstAnswer {
  readonly status: number | undefined
  /** Of a stream what it begins with: it is not listened to any longer. */
  readonly body: string
}

function ask({ url, apiKey }: Address, path: string): Promise<FirstAnswer> {
  const headers = { 'x-api-key': apiKey, 'svc-dialect': 'a' }
  return new Promise((resolve, reject) => {
    const asking = get(url + path, { headers, agent: false }, (answer) => {
      const isStream = answer.headers['content-type']?.startsWith('text/event-stream')
      let body = ''
      answer.setEncoding('utf8')
      answer.on('data', (text) => {
        body += text
        if (!isStream) return
        resolve({ status: answer.statusCode, body })
        asking.destroy()
      })
      answer.once('end', () => resolve({ status: answer.statusCode, body }))
    })
    asking.once('error', reject)
  })
}

function unexpected(what: string, status: number | undefined): Error {
  return new Error(`The emulator started, and answered its first ${what} with ${status}.`)
}
