/** Provides the client to components. */
import { createContext, createElement, type ReactNode, useContext } from 'react'
import type { Client } from '../index.js'
import { openStore, type Store } from '../store/index.js'

const ClientContext = createContext<Client | undefined>(undefined)

export function SvcProvider({ client, children }: { readonly client: Client; readonly children?: ReactNode }) {
  return createElement(ClientContext.Provider, { value: client }, children)
}

export function useClient(): Client {
  const client = useContext(ClientContext)
  if (client) return client
  throw new Error('Render this component inside SvcProvider.')
}

export function useStore(): Store {
  return openStore(useClient())
}
