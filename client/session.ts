/** What every call of a client shares: how it sends, and which dialect it speaks. */
import { detectDialect } from './detect.js'
import { type Answer, openSend, type Request, type SendOptions } from './send.js'
import { type Dialect, formatDialect, readDialect } from './wire/dialect.js'

export interface Session {
  /** The dialect of this client; with `auto`, asked for at the first call. */
  dialect(): Promise<Dialect>
  /** Sends a request that says which dialect it speaks. */
  send(request: Request): Promise<Answer>
}

/** @throws {SvcError} `INVALID_DIALECT` */
export function openSession(options: SendOptions & { readonly dialect?: string }): Session {
  const send = openSend(options)
  let known = options.dialect === 'auto' ? undefined : Promise.resolve(readDialect(options.dialect))

  function dialect(): Promise<Dialect> {
    known ??= detectDialect(send).catch((error) => {
      known = undefined
      throw error
    })
    return known
  }

  return {
    dialect,
    async send(request) {
      const headers = { 'svc-dialect': formatDialect(await dialect()), ...request.headers }
      return send({ ...request, headers })
    },
  }
}
