/** Exported under the condition `development`: the client, with warnings about likely mistakes. */
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

/** Matches a field with a filter suffix of either family. */
const suffixed = new RegExp(`^(.*[^_])__?(${operators.join('|')})$`, 's')

/**
 * Works like `createClient` in production. Warns if a query finds nothing and `where` holds a name with a filter
 * suffix, such as `views__gte`: `where` takes it for the name of a field.
 */
export function createClient<Schema extends AnySchema<Schema> = UntypedSchema, UserData extends object = Fields>(
  options: ClientOptions,
): Client<Schema, UserData> {
  const client = openClient<Schema, UserData>(options)
  const warned = new Set<string>()

  /** Warns once per field of a collection. */
  function warn(collection: string, where: object | undefined) {
    for (const { name, field, operator } of suffixedFields(where)) {
      const key = JSON.stringify([collection, name])
      if (warned.has(key)) continue
      warned.add(key)
      console.warn(
        `svc: No match in "${collection}". "${name}" is read as the name of a field. ` +
          `To compare "${field}", write where: { ${JSON.stringify(field)}: { ${operator}: … } }.`,
      )
    }
  }

  return {
    ...client,
    users: watchUsers(client.users, (where) => warn('users', where)),
    collection: (name) => watchCollection(client.collection(name), (where) => warn(name, where)),
  }
}

/** Called with the filter of a query that found nothing. */
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
        onPage(page, begun) {
          if (isNothing(page)) onNothing(options?.where)
          options?.onPage?.(page, begun)
        },
      }),
  }
}

/** Ignores pages past the end, which are empty too. */
function isNothing({ items, offset }: Page<unknown>): boolean {
  return items.length === 0 && offset === 0
}

/** Finds names in a filter that look like a field and a suffix. */
function suffixedFields(where: object = {}): { name: string; field: string; operator: string }[] {
  return Object.entries(where).flatMap(([name, condition]) => {
    if (name === 'or' && Array.isArray(condition)) return condition.flatMap(suffixedFields)
    const [, field, operator] = suffixed.exec(name) ?? []
    return field && operator ? [{ name, field, operator }] : []
  })
}
