/** Logs in through the project's identity provider, from a key of `svc dev` and in the browser. */

import { type OpenLogin, openLogin } from '../idp/open-login.js'
import { loginFailed } from '../idp/outcome.js'
import { openControl } from '../target/control.js'
import type { EmulatorInfo } from '../target/emulator-file.js'
import { openInBrowser } from '../terminal/browser.js'

const maxMilliseconds = 300_000

export interface LoginKey {
  /** Opens the provider's page. Cancels a login that is still open. */
  begin(): Promise<void>
  off(): void
}

interface Output {
  say(words: string): void
  /** Prints to the terminal only. */
  print(words: string): void
}

/** Passes the login address to `say` and, later, prints the token or the failure. */
export function loginKey(emulator: EmulatorInfo, { say, print }: Output): LoginKey {
  let waiting: OpenLogin | undefined

  function off() {
    waiting?.close()
    waiting = undefined
  }

  async function wait(login: OpenLogin) {
    const outcome = await login.outcome(maxMilliseconds)
    if (waiting === login) off()
    if (!outcome) return
    if ('token' in outcome) print(`Logged in. Token: ${outcome.token}`)
    else say(loginFailed(outcome.failure).message)
  }

  return {
    off,
    async begin() {
      off()
      const login = await openLogin(openControl(emulator).idp, emulator.projectId)
      waiting = login
      say(`Log in at ${login.url}`)
      if (!process.env.CI) await openInBrowser(login.url)
      void wait(login)
    },
  }
}
