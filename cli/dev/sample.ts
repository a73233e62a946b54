import type { Client, Document } from '../../client/index.js'
import { setOwn } from '../../client/protocol/model/json.js'

/** Creates a sample document. Copies the newest one, so that it fits the schema. */
export async function createSample(client: Client): Promise<Document> {
  const names = (await client.collections.list()).map(({ name }) => name)
  const name = names.includes('posts')
    ? 'posts'
    : (names[0] ?? (await client.collections.create({ name: 'notes' })).name)
  const collection = client.collection(name)
  const [newest] = (await collection.list({ limit: 1, count: false })).items
  const fields = { ...newest?.data }
  const heading = ['title', 'name', 'text'].find((field) => typeof fields[field] === 'string') ?? 'title'
  setOwn(fields, heading, `Hello at ${new Date().toTimeString().slice(0, 8)}`)
  return collection.create(fields)
}
