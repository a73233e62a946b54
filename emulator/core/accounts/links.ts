/** Links that mails carry. They are made from settings, never from what a request says. Contract 6.8. */
import type { Context } from '../context.js'

type Scope = Pick<Context, 'backend' | 'project'>

/** Of the app's own page, where it has one; else of the service's. */
export function verificationLink(ctx: Scope, token: string): string {
  return link(ctx, 'verify-email', token)
}

export function resetLink(ctx: Scope, token: string): string {
  return link(ctx, 'reset-password', token)
}

function link({ backend, project }: Scope, page: 'verify-email' | 'reset-password', token: string): string {
  const { appUrl } = project.settings
  const base = appUrl === null ? `${backend.url()}/auth/pages` : appUrl.replace(/\/+$/, '')
  return `${base}/${page}?token=${token}`
}
