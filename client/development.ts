/** What the package exports under the condition `development`: the client, which also warns of likely mistakes. */
import {
  type Client,
  type ClientOptions,
  type CollectionClient,
  type Fields,
  createClient as openClient,
  type Page,
  type UntypedSchema,
  type Users,
} from './index.js'
import { operators } from './protocol/model/where.js'
import type { AnySchema } from './types.js'

export * from './index.js'

/** A field and a suffix, of either family. */
const suffixed = new RegExp(`^(.*[^_])__?(${operators.join('|')})$`, 's')

/**
 * As `createClient` of production. Where nothing was found, it warns of fields that are named as filters are in a query:
 * in `where` they are names of fields, and no document has such a field.
 */
export function createClient<Schema extends AnySchema<Schema> = UntypedSchema, UserData extends object = Fields>(
  options: ClientOptions,
): Client<Schema, UserData> {
  const client = openClient<Schema, UserData>(options)
  const warned = new Set<string>()

  /** Once of each field of a collection. */
  function warn(collection: string, where: object | undefined) {
    for (const { name, field, operator } of suffixedFields(where)) {
      const key = JSON.stringify([collection, name])
      if (warned.has(key)) continue
      warned.add(key)
      console.warn(
        `svc: nothing of "${collection}" was found, and "${name}" is a field's name here; ` +
          `to compare "${field}", write where: { ${JSON.stringify(field)}: { ${operator}: … } }.`,
      )
    }
  }

  return {
    ...client,
    users: watchUsers(client.users, (where) => warn('users', where)),
    collection: (name) => watchCollection(client.collection(name), (where) => warn(name, where)),
  }
}

/** Called with what was asked where nothing was found. */
type OnNothing = (where: object | undefined) => void

function watchUsers<Data extends object>(users: Users<Data>, onNothing: OnNothing): Users<Data> {
  return {
    ...users,
    async list(options) {
      const page = await users.list(options)
      if (isNothing(page)) onNothing(options?.where)
      return page
    },
  }
}

function watchCollection<Schema, Data extends object>(
  collection: CollectionClient<Schema, Data>,
  onNothing: OnNothing,
): CollectionClient<Schema, Data> {
  return {
    ...collection,
    async list(options) {
      const page = await collection.list(options)
      if (isNothing(page)) onNothing(options?.where)
      return page
    },
    async *iterate(options) {
      let isEmpty = true
      for await (const document of collection.iterate(options)) {
        isEmpty = false
        yield document
      }
      if (isEmpty) onNothing(options?.where)
    },
    async count(options) {
      const total = await collection.count(options)
      if (total === 0) onNothing(options?.where)
      return total
    },
    live: (options) =>
      collection.live({
        ...options,
        onPage(page) {
          if (isNothing(page)) onNothing(options?.where)
          options?.onPage?.(page)
        },
      }),
  }
}

/** A page behind the last one is empty, too. */
function isNothing({ items, offset }: Page<unknown>): boolean {
  return items.length === 0 && offset === 0
}

/** Fields of a filter that look like a field and a suffix. */
function suffixedFields(where: object = {}): { name: string; field: string; operator: string }[] {
  return Object.entries(where).flatMap(([name, condition]) => {
    if (name === 'or' && Array.isArray(condition)) return condition.flatMap(suffixedFields)
    const [, field, operator] = suffixed.exec(name) ?? []
    return field && operator ? [{ name, field, operator }] : []
  })
}
