import { createClient, webStore } from 'svc-toolkit-client'
import { offline } from 'svc-toolkit-client/offline'
import { createHooks } from 'svc-toolkit-client/react'
import { openStore } from 'svc-toolkit-client/store'
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

// Keeps lists and unsent writes in the browser. Only the same user sends them after the next login.
const onUnsent = ({ length }: readonly unknown[]) => alert(`${length} not saved yet. Sign in again to save.`)
openStore(svc, { persist: offline({ onUnsent }) })

export const { SvcProvider, useAuth, useLive, useMutation, useOutbox } = createHooks<Schema>()
