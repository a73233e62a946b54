import type { ReactNode } from 'react'
import { Gone, type GoneProps, isMissing, Skeleton } from '../parts/states.js'
import { Failure } from './failure.js'

/** What is asked of the emulator: what came of it, and what went wrong with the last time. */
export interface Asked<Data> {
  /** Undefined until it has come. It stays when a later time fails. */
  readonly data: Data | undefined
  readonly error: unknown
  readonly refetch?: () => unknown
}

interface QueryProps<Data> {
  readonly query: Asked<Data>
  /** Of something that an address names: what to say where it is missing. */
  readonly gone?: Omit<GoneProps, 'wasShown'> & Partial<Pick<GoneProps, 'wasShown'>>
  /** Shown until something has come or failed. */
  readonly loading?: ReactNode
  readonly children?: (data: Data) => ReactNode
}

/** What a query has brought: an error, that it is missing, that it is loading, or content; after an error, what came before it. */
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
