import { createClient, type FileUrl, webStore } from 'svc-toolkit-client'
import { createHooks } from 'svc-toolkit-client/react'
import type { Schema } from './svc-types'

/** The profile of a user. */
export interface Profile {
  avatar?: FileUrl
}

const { VITE_SVC_URL: url, VITE_SVC_API_KEY: apiKey } = import.meta.env
export const svc = createClient<Schema, Profile>({ url: url || location.origin, apiKey, session: webStore() })
export const { SvcProvider, useAuth, useLive, useMutation } = createHooks<Schema, Profile>()

/** Ignores an error that the page shows. */
export function ignoreShown() {}
