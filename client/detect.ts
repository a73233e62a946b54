/** What a service speaks, found out by reading. */
import { isObject, objectIn } from './protocol/model/json.js'
import * as addresses from './protocol/wire/paths/encode.js'
import { recordDecoders } from './protocol/wire/record/decode.js'
import { type NamedDialect, parseSpoken, sayDialect } from './protocol/wire/spoken.js'
import type { SendRequest } from './send.js'

/**
 * Asks for the collections without saying a dialect: the answer says in a header what it is written in. Where it does
 * not, it is asked for a list as well, of the first collection's documents or, where there is none, of files; what shows
 * in the answers decides, and what does not show is as in the nearest named dialect. From then on the client says its
 * dialect with each request, so that a service that listens to it answers in exactly that form.
 */
export async function detectDialect(send: SendRequest): Promise<NamedDialect> {
  const { body, header } = await send({ method: 'GET', path: addresses.collections })
  const named = header('svc-dialect')
  if (named) return parseSpoken(named)

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
