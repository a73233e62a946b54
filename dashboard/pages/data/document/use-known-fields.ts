/** Loads the fields of a collection and their most common values. */
import { useQueryClient } from '@tanstack/react-query'
import { useMemo } from 'react'
import { quotedName } from '../../../parts/sql-name.js'
import { useSession } from '../../../session/context.js'
import type { KnownFields } from './json-completion.js'

const freshMilliseconds = 30_000
const looked = { documents: 500, values: 20 }
/** Columns that are not fields of the document. */
const own = new Set(['id', 'created_at', 'updated_at', 'version', 'data'])

export function useKnownFields(collection: string): KnownFields {
  const { control, project } = useSession()
  const queries = useQueryClient()
  return useMemo(() => {
    const ask = <Answer>(name: string, queryFn: () => Promise<Answer>) =>
      queries.fetchQuery({ queryKey: ['columns', project.id, collection, name], queryFn, staleTime: freshMilliseconds })
    return {
      async fields() {
        const read = () => control.sql.view({ project: project.id, name: collection })
        const { columns } = await ask('', read)
        return columns.filter(({ name }) => !own.has(name))
      },
      values: (field) =>
        ask(`values of ${field}`, async () => {
          const { rows } = await control.sql.run({ project: project.id, query: commonest(collection, field) })
          const common = rows.filter(([, times]) => Number(times) > 1)
          return common.length * 2 < rows.length ? [] : common.map(([value]) => String(value))
        }),
    }
  }, [control, project.id, queries, collection])
}

function commonest(collection: string, field: string): string {
  const [table, column] = [quotedName(collection), quotedName(field)]
  return `select value, count(*) as times
    from (select ${column} as value from ${table} limit ${looked.documents}) as newest
    where value is not null and length(value) <= 60
    group by value order by times desc limit ${looked.values}`
}
