/** Detects the dialect of a service by reading from it. */
import { isObject, type Json, objectIn } from './protocol/model/json.js'
import * as addresses from './protocol/wire/paths/encode.js'
import { recordDecoders } from './protocol/wire/record/decode.js'
import { type NamedDialect, parseSpoken, sayDialect } from './protocol/wire/spoken.js'
import type { SendRequest } from './send.js'

/**
 * Lists the collections without naming a dialect, and reads the dialect from a response header. Without that header, it
 * also lists the documents of the first collection, or the files without collections, and compares shapes. Axes
 * that the responses do not show are taken from the nearest named dialect. Later requests name the detected dialect, so
 * that a service that honors the header answers in exactly that form.
 */
export async function detectDialect(send: SendRequest): Promise<NamedDialect> {
  const { body, header } = await send({ method: 'GET', path: addresses.collections }).catch(async (error) => {
    if (error.status !== 405) throw error
    // The deployed service lists no collections. A page of its users tells it from others.
    return send({ method: 'GET', path: addresses.users, query: [['limit', 1]] })
  })
  if ('has_more' in objectIn(body)) return parseSpoken('d')
  const named = header('svc-dialect')
  if (named) return parseSpoken(named)
  return detectByShape(send, body)
}

/** Compares the shape of the collections, and of a list of documents or files, with the named dialects. */
async function detectByShape(send: SendRequest, body: Json): Promise<NamedDialect> {
  const isSuccess = objectIn(body).success === true
  const read = recordDecoders[isSuccess ? 'success' : 'bare']
  const { name, createdAt } = objectIn(Object(read(body))[0])
  if (isSuccess && !name) return parseSpoken('c')

  const path = name ? addresses.create(String(name)) : addresses.files
  const list = read((await send({ method: 'GET', path })).body)
  const isPage = isObject(list)
  const nearest = isSuccess ? 'c' : (name ? createdAt : isPage) ? 'a' : 'b'
  if (!name) return parseSpoken(nearest)

  const documents = isPage ? list.documents : list
  const shown = documents
    ? ({ paths: 'flat', list: isPage ? 'page' : 'array' } as const)
    : ({ paths: 'nested' } as const)
  return parseSpoken(sayDialect(nearest, shown))
}
