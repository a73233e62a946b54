import { createClient, type FileUrl, webStore } from 'svc-toolkit-client'
import { offline } from 'svc-toolkit-client/offline'
import { createHooks } from 'svc-toolkit-client/react'
import { openStore } from 'svc-toolkit-client/store'
import type { Schema } from './svc-types'

/** The profile of a user. */
export interface Profile {
  avatar?: FileUrl
}

const { VITE_SVC_URL: url, VITE_SVC_API_KEY: apiKey } = import.meta.env
export const svc = createClient<Schema, Profile>({ url: url || location.origin, apiKey, session: webStore() })
// The last one who moves a card wins.
openStore(svc, { persist: offline({ onConflict: ({ error }) => (error?.code === 'CONFLICT' ? 'retry' : undefined) }) })
export const { SvcProvider, useAuth, useLive, useMutation, useOutbox } = createHooks<Schema, Profile>()

/** Ignores an error that the page shows. */
export function ignore() {}
