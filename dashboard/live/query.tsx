import type { ReactNode } from 'react'
import { Gone, type GoneProps, isMissing, Skeleton } from '../parts/states.js'
import { Failure } from './failure.js'

/** The result of a query: its data, and the error of the last attempt. */
export interface QueryResult<Data> {
  /** Undefined until loaded. Stays when a later fetch fails. */
  readonly data: Data | undefined
  readonly error: unknown
  readonly refetch?: () => unknown
}

interface QueryProps<Data> {
  readonly query: QueryResult<Data>
  /** For a record that the address names: shown if it does not exist. */
  readonly gone?: Omit<GoneProps, 'wasShown'> & Partial<Pick<GoneProps, 'wasShown'>>
  /** Shown until the first result. */
  readonly loading?: ReactNode
  readonly children?: (data: Data) => ReactNode
}

/** Shows a query as an error, as missing, as loading, or as content. Keeps earlier content below an error. */
export function Query<Data>({ query, gone, loading = <Skeleton />, children }: QueryProps<Data>) {
  const { data, error, refetch } = query
  const isThere = data !== undefined
  return (
    <>
      {error ? (
        gone && isMissing(error) ? (
          <Gone wasShown={isThere} {...gone} />
        ) : (
          <Failure error={error} {...(refetch ? { retry: () => void refetch() } : {})} />
        )
      ) : null}
      {!isThere && !error ? loading : null}
      {isThere ? children?.(data) : null}
    </>
  )
}
