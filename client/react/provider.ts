/** The client that is given to all components below, and what is kept for it. */
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
  throw new Error('There is no SvcProvider above.')
}

/** What was read and written for the user who is signed in. */
export function useUserStore(): UserStore {
  const { subscribe, user, serverUser } = clientStore(useClient())
  return useSyncExternalStore(subscribe, user, serverUser)
}
