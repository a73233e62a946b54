import { createClient, SvcError, webStore } from 'svc-toolkit-client'
import type { Schema } from './svc-types'

// Anyone who opens the app can read this key. The permissions of collections say what it may do.
const { VITE_SVC_URL: url, VITE_SVC_API_KEY: apiKey } = import.meta.env

if (!url || !apiKey) {
  const problem =
    'VITE_SVC_URL and VITE_SVC_API_KEY are not set. On your machine “npx svc dev” writes them into .env.local. ' +
    'In a fresh clone, where that file is missing, run “npx svc init --yes” first.'
  document.body.textContent = problem
  throw new Error(problem)
}

export const svc = createClient<Schema, { name?: string }>({ url, apiKey, session: webStore('svc-chat') })

/** On your machine the service is a program that may not run yet. */
export const hint = import.meta.env.DEV ? ' Start it: npx svc dev' : ''

/** The service's error message, with the error of each field. */
export function problemOf(error: unknown): string {
  if (!(error instanceof SvcError)) return String(error)
  if (error.code === 'NETWORK') return error.message + hint
  return [error.message, ...error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`)].join(' ')
}

/** Whether a retry may succeed: there was no answer, or one that asks to retry later. */
export function mayPass({ status, code }: SvcError): boolean {
  return code === 'NETWORK' || code === 'TIMEOUT' || status === 429 || (status !== undefined && status > 501)
}
