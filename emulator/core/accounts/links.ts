/** Builds the links in mails from settings, never from the request. Contract 6.8. */
import type { Context } from '../context.js'

type Scope = Pick<Context, 'backend' | 'project'>

/** Links to the app's own page if it has one, otherwise to the service's. */
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
