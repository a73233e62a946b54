import { createClient, SvcError, webStore } from 'svc-toolkit-client'
import type { Schema } from './svc-types'

// Anyone who opens the app can read this key. The permissions of collections say what it may do.
const { VITE_SVC_URL: url, VITE_SVC_API_KEY: apiKey } = import.meta.env

export const svc = createClient<Schema, { name?: string }>({ url, apiKey, session: webStore('svc-chat') })

/** The service's error message, with the error of each field. */
export function problemOf(error: unknown): string {
  if (!(error instanceof SvcError)) return String(error)
  return [error.message, ...error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`)].join(' ')
}

/** Whether a retry may succeed: there was no answer, or one that asks to retry later. */
export function mayPass({ status, code }: SvcError): boolean {
  return code === 'NETWORK' || code === 'TIMEOUT' || status === 429 || (status !== undefined && status > 501)
}
