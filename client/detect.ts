/** `dialect: 'auto'`: which forms a service speaks, found out by reading alone. */
import { isObject, type Json, objectIn } from './model/json.js'
import type { Send } from './send.js'
import { type Dialect, dialects } from './wire/dialect.js'
import * as addresses from './wire/paths.js'
import { arrayIn, recordReaders } from './wire/readers.js'

/**
 * Asks for the collections without saying a dialect, then for one document of the first. What shows in the answers
 * decides; what does not show is as in the nearest named dialect. From then on the client says its dialect with each
 * request, so that a service that listens to it answers in exactly that form.
 */
export async function detectDialect(send: Send): Promise<Dialect> {
  const { body } = await send({ method: 'GET', path: addresses.collections })
  const isSuccess = objectIn(body).success === true
  const read = recordReaders[isSuccess ? 'success' : 'bare']
  const { name, createdAt } = objectIn(arrayIn(read(body))[0])
  const nearest = isSuccess ? dialects.c : name && !createdAt ? dialects.b : dialects.a
  if (typeof name !== 'string') return nearest

  const { body: answer } = await send({ method: 'GET', path: addresses.create(name), query: [['limit', 1]] })
  const inner = read(answer)
  const isPage = isObject(inner)
  const documents = isPage ? inner.documents : inner
  if (!Array.isArray(documents)) return { ...nearest, paths: 'nested' }
  const [document] = documents
  return {
    ...nearest,
    paths: 'flat',
    list: isPage ? 'page' : 'array',
    ...(isObject(document) && { document: shapeOf(document) }),
  }
}

function shapeOf(document: { readonly [field: string]: Json }): Dialect['document'] {
  if ('created_at' in document && isObject(document.data)) return 'snake'
  return isObject(document.data) && 'collection' in document ? 'enveloped' : 'flat'
}
