import { createClient, SvcError } from 'svc-toolkit-client'

/** Opens the notes of one collection, and creates it if it is missing. */
export async function openNotes({ url, apiKey }, name = 'notes') {
  const svc = createClient({ url, apiKey })
  await svc.collections.create({ name, schema: { text: { type: 'string', required: true } } }).catch((error) => {
    if (!(error instanceof SvcError && error.code === 'COLLECTION_EXISTS')) throw error
  })
  const notes = svc.collection(name)
  return {
    add: (text, tags = []) => notes.create({ text, tags }),
    tagged: async (tag) => (await notes.list({ where: { tags: tag }, sort: 'text' })).items,
    count: () => notes.count(),
    removeAll: () => svc.collections.delete(name),
  }
}
