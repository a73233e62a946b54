import { createClient, webStore } from 'svc-toolkit-client'
import { createHooks } from 'svc-toolkit-client/svelte'
import type { Schema } from './svc-types'

// Everyone who opens the app can read this key. Permissions of collections limit what it can do.
const { VITE_SVC_URL: url, VITE_SVC_API_KEY: apiKey } = import.meta.env

if (!url || !apiKey) {
  const problem =
    'VITE_SVC_URL and VITE_SVC_API_KEY are not set. On your machine, “npx svc dev” writes them to .env.local. ' +
    'In a fresh clone, run “npx svc init --yes” first.'
  document.body.textContent = problem
  throw new Error(problem)
}

export const svc = createClient<Schema>({ url, apiKey, session: webStore() })
export const { provideClient, useAuth, useLive, useMutation, useOutbox } = createHooks<Schema>()
