import { createClient, SvcError, webStore } from 'svc-toolkit-client'
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

export const svc = createClient<Schema, { name?: string }>({ url, apiKey, session: webStore('svc-chat') })

/** On your machine, the emulator may not be running. */
export const hint = import.meta.env.DEV ? ' Start it: npx svc dev' : ''

/** Formats the message of an error, with the problem of each field. */
export function describeError(error: unknown): string {
  if (!(error instanceof SvcError)) return String(error)
  if (error.code === 'NETWORK') return error.message + hint
  return [error.message, ...error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`)].join(' ')
}

/** Tells whether a retry may succeed. */
export function isTransient({ status, code }: SvcError): boolean {
  return code === 'NETWORK' || code === 'TIMEOUT' || status === 429 || (status !== undefined && status > 501)
}
