/** What sign-up, login and everything about the signed-in user send, and how they read the answers. */
import type { SignedIn } from './auth-state.js'
import type { CallOptions } from './collection-writes.js'
import type { Fields } from './model/document.js'
import { SvcError } from './model/errors.js'
import type { Json, JsonObject } from './model/json.js'
import type { AppUser } from './model/user.js'
import type { Session } from './session.js'
import { readRecord } from './wire/answers.js'
import { readLogin } from './wire/logins.js'

/** A login is there, or a code is needed first. */
export type LoginResult<Data = Fields> =
  | { readonly requires2fa: false; readonly user: AppUser<Data>; readonly token: string }
  | { readonly requires2fa: true; readonly message: string }

export interface AuthCalls<Data> {
  /** A POST whose answer is the record itself. */
  post(path: string, body?: object, options?: CallOptions, isAnonymous?: boolean): Promise<JsonObject>
  signIn(path: string, body: object, options?: CallOptions): Promise<LoginResult<Data>>
}

export function openAuthCalls<Data>({ call, auth }: Session): AuthCalls<Data> {
  return {
    async post(path, body, { signal } = {}, isAnonymous = false) {
      return call({ method: 'POST', path, body: body as Json | undefined, isAnonymous, signal }, readRecord)
    },

    async signIn(path, body, { signal } = {}) {
      try {
        const step = await call({ method: 'POST', path, body: body as Json, isAnonymous: true, signal }, readLogin)
        if ('codeNeeded' in step) return { requires2fa: true, message: step.codeNeeded }
        await auth.put(step.login)
        return { requires2fa: false, ...(step.login as SignedIn<Data>) }
      } catch (error) {
        if (!(error instanceof SvcError) || error.code !== '2FA_REQUIRED') throw error
        return { requires2fa: true, message: error.message }
      }
    },
  }
}
