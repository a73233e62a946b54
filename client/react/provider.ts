/** Provides the client to components. */
import { createContext, createElement, type ReactNode, useContext, useMemo } from 'react'
import type { Client } from '../index.js'
import { type InitialData, openStore, type Store } from '../store/index.js'

interface Provided {
  readonly client: Client
  readonly store: Store
}

const Context = createContext<Provided | undefined>(undefined)

interface ProviderProps {
  readonly client: Client
  readonly initialData?: InitialData
  readonly children?: ReactNode
}

export function SvcProvider({ client, initialData, children }: ProviderProps) {
  const value = useMemo(
    () => ({ client, store: openStore(client, { initialData }) }),
    // The first data of a client stays: lists follow the service from then on.
    [client],
  )
  return createElement(Context.Provider, { value }, children)
}

function useProvided(): Provided {
  const provided = useContext(Context)
  if (provided) return provided
  throw new Error('Render this component inside SvcProvider.')
}

export const useClient = (): Client => useProvided().client
export const useStore = (): Store => useProvided().store
