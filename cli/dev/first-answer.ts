import type { Emulator } from '../../emulator/dev.js'

// An `import` of it loads `fetch` as well, from Node 22 on. Decision 65.
const { get } = process.getBuiltinModule('node:http')

type Asked = Pick<Emulator, 'url' | 'apiKey' | 'someCollection' | 'forgetRequests'>

/**
 * Waits for answers that went the whole way: to a request, and to a subscription, each through HTTP, the key and the database.
 * They are about one collection: to list all of them takes the longer the more there are. Asked by the plainest of means, since
 * `fetch` takes longer to load than this takes to be answered. Afterwards the logs of requests and events are empty.
 *
 * @throws {Error} if one of them is no good answer.
 */
export async function firstAnswers(emulator: Asked): Promise<void> {
  const name = await emulator.someCollection()
  const record = await ask(emulator, name === undefined ? '/collections' : `/api/collections/${name}`)
  if (record.status !== 200) throw unexpected('request', record.status)
  const stream = await ask(emulator, `/realtime/sse/${name ?? noCollection}`)
  const expected = name === undefined ? [404] : [200, ...notForThisKey]
  if (!expected.includes(stream.status ?? 0)) throw unexpected('subscription', stream.status)
  emulator.forgetRequests()
}

/** The collection may be for users or for some roles only: then to be refused is the right answer. */
const notForThisKey = [401, 403]

/** No collection can have that name: where there is none yet, the database has to say so. */
const noCollection = 'documents'

/** Of a stream the beginning is enough: it is not listened to any longer. */
function ask({ url, apiKey }: Asked, path: string): Promise<{ status: number | undefined }> {
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
  return new Error(`The emulator started, and answered its first ${what} with ${status}.`)
}
