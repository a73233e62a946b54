/** CSS classes and labels of recorded requests. */
import type { RequestSummary } from '../../client/protocol/control/requests.js'

const methodLooks: Readonly<Record<string, string>> = {
  GET: 'info',
  POST: 'good',
  PUT: 'warn',
  PATCH: 'warn',
  DELETE: 'bad',
}

export function methodLook(method: string): string {
  return `method ${methodLooks[method] ?? 'plum'}`
}

export function statusLook(status: number | null): string {
  if (status === null || status >= 500) return 'status bad'
  return status >= 400 ? 'status warn' : 'status good'
}

export function formatCaller({ kind, user }: RequestSummary['caller']): string {
  return user === null ? kind : (user.email ?? user.id)
}
