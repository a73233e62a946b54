/** Provides the client and its store to components. */
import { createContext, createElement, type ReactNode, useContext, useSyncExternalStore } from 'react'
import type { Client } from '../index.js'
import { clientStore, type UserStore } from './client-store.js'

const ClientContext = createContext<Client | undefined>(undefined)

export function SvcProvider({ client, children }: { readonly client: Client; readonly children?: ReactNode }) {
  return createElement(ClientContext.Provider, { value: client }, children)
}

export function useClient(): Client {
  const client = useContext(ClientContext)
  if (client) return client
  throw new Error('Render this component inside SvcProvider.')
}

/** Returns the store of the signed-in user. */
export function useUserStore(): UserStore {
  const { subscribe, user, serverUser } = clientStore(useClient())
  return useSyncExternalStore(subscribe, user, serverUser)
}
