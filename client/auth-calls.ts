/** What sign-up, login and everything about the signed-in user send, and how they read the answers. */
import type { SignedIn } from './auth-state.js'
import type { CallOptions } from './collection-writes.js'
import type { Fields } from './model/document.js'
import { SvcError } from './model/errors.js'
import type { JsonObject } from './model/json.js'
import type { AppUser } from './model/user.js'
import { nobody, type Session } from './session.js'
import { readRecord, type LoginStep, readLogin } from './wire/readers.js'

/** A login is there, or a code is needed first. */
export type LoginResult<Data = Fields> =
  | { readonly requires2fa: false; readonly user: AppUser<Data>; readonly token: string }
  | { readonly requires2fa: true; readonly message: string }

export interface AuthCalls<Data> {
  /** A POST whose answer is the record itself. */
  post(path: string, body: object | undefined, options?: CallOptions, token?: string): Promise<JsonObject>
  signIn(path: string, body: object, options?: CallOptions): Promise<LoginResult<Data>>
}

export function openAuthCalls<Data>({ call, auth }: Session): AuthCalls<Data> {
  return {
    post: (path, body, options, token) => call('POST', path, readRecord, { ...options, body, token }),

    async signIn(path, body, options) {
      const step = await call('POST', path, readLogin, { ...options, body, token: nobody }).catch(codeNeeded)
      if ('codeNeeded' in step) return { requires2fa: true, message: step.codeNeeded }
      await auth.put(step.login)
      return { requires2fa: false, ...(step.login as SignedIn<Data>) }
    },
  }
}

/** In some dialects, that a code is needed is told as a failure. */
function codeNeeded(error: unknown): LoginStep<AppUser> {
  if (error instanceof SvcError && error.code === '2FA_REQUIRED') return { codeNeeded: error.message }
  throw error
}
