/** Maps the paths of issues to places in the request body. Contract 10.4. */
import { operatorNames } from '../../../client/protocol/model/document.js'
import type { Issue } from '../../../client/protocol/model/errors.js'
import { type Json, type JsonObject, objectIn } from '../../../client/protocol/model/json.js'
import { unwrapChanges } from '../../../client/protocol/wire/body/decode.js'

/** Maps the path of an issue in the parsed input to its path in the body. */
export type Placing = (path: Issue['path']) => Issue['path']

export const samePlace: Placing = (path) => path

/** For fields that may be wrapped, with operators inside or next to them. */
export function placesInDocument(dialect: Parameters<typeof unwrapChanges>[0], body: JsonObject): Placing {
  const { fields, isWrapped } = unwrapChanges(dialect, body)
  if (!isWrapped) return samePlace
  const place = placesOfOperators(fields)
  return (path) => (isOperator(path) ? place(path) : ['data', ...path])
}

/** For operators next to `data` or inside it. Prefers the inside if both name the field. */
export function placesOfOperators(data: JsonObject): Placing {
  return (path) => {
    const [operator = '', field = ''] = path
    return isOperator(path) && Object.hasOwn(objectIn(data[operator]), field) ? ['data', ...path] : path
  }
}

/** For the documents of a batch, by index or id. A path begins with the index of its document, except in a batch of one. */
export function placesInBatch(
  dialect: Parameters<typeof unwrapChanges>[0],
  { name, members = null }: { name: 'documents' | 'updates'; members: Json | undefined },
): Placing {
  const items = Array.isArray(members) ? [...members.entries()] : Object.entries(objectIn(members))
  // Cached per document, which can have many issues.
  const known = new Map<number, Placing>()
  return ([first = 0, ...rest]) => {
    const [at, path] = typeof first === 'number' ? [first, rest] : [0, [first, ...rest]]
    const [key = at, item = null] = items[at] ?? []
    const place = known.get(at) ?? placesInDocument(dialect, objectIn(item))
    known.set(at, place)
    return [name, key, ...place(path)]
  }
}

function isOperator([first = '']: Issue['path']): boolean {
  return operatorNames.includes(String(first))
}
