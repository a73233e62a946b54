import type { Emulator } from '../../emulator/assembly/dev.js'

// Importing it would also load `fetch`, from Node 22 on. Decision 65.
const { get } = process.getBuiltinModule('node:http')

type FirstRequests = Pick<Emulator, 'url' | 'apiKey' | 'someCollection' | 'forgetRequests'>

/**
 * Sends a request and a subscription through HTTP, the key and the database, and waits for both responses. They concern one
 * collection, because a list of all would take longer with each. Uses `node:http`, because `fetch` takes longer to load than
 * the requests take. Clears the logs of requests and events afterwards.
 *
 * @throws {Error} if a response has an unexpected status
 */
export async function firstAnswers(emulator: FirstRequests): Promise<void> {
  const name = await emulator.someCollection()
  const record = await ask(emulator, name === undefined ? '/collections' : `/api/collections/${name}`)
  if (record.status !== 200) throw unexpected('request', record.status)
  const stream = await ask(emulator, `/realtime/sse/${name ?? noCollection}`)
  const expected = name === undefined ? [404] : [200, ...notForThisKey]
  if (!expected.includes(stream.status ?? 0)) throw unexpected('subscription', stream.status)
  emulator.forgetRequests()
}

/** Accepts a refusal, because the collection may be open only to users or roles. */
const notForThisKey = [401, 403]

/** Reserved, so no collection has this name. The database must answer that it does not exist. */
const noCollection = 'documents'

/** Ends a stream after its first data. */
function ask({ url, apiKey }: FirstRequests, path: string): Promise<{ status: number | undefined }> {
  const headers = { 'x-api-key': apiKey, 'svc-dialect': 'a' }
  return new Promise((resolve, reject) => {
    const asking = get(url + path, { headers, agent: false }, (answer) => {
      const isStream = answer.headers['content-type']?.startsWith('text/event-stream')
      const { statusCode: status } = answer
      answer.on('data', () => {
        if (!isStream) return
        resolve({ status })
        asking.destroy()
      })
      answer.once('end', () => resolve({ status }))
    })
    asking.once('error', reject)
  })
}

function unexpected(what: string, status: number | undefined): Error {
  return new Error(`The emulator started, but answered its first ${what} with ${status}.`)
}
