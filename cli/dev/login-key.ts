/** A login through the project's identity provider, which a key of `svc dev` begins and the browser ends. */

import { type OpenLogin, openLogin } from '../idp/open-login.js'
import { loginFailed } from '../idp/outcome.js'
import { openControl } from '../target/control.js'
import type { EmulatorInfo } from '../target/emulator-file.js'
import { openInBrowser } from '../terminal/browser.js'

const mostMilliseconds = 300_000

export interface LoginKey {
  /** Opens the provider's page. A login that is still waited for is waited for no longer. */
  begin(): Promise<void>
  off(): void
}

interface Output {
  say(words: string): void
  /** Writes to the terminal only. */
  print(words: string): void
}

/** Says where to log in and, later, prints the token or says what went wrong. */
export function loginKey(emulator: EmulatorInfo, { say, print }: Output): LoginKey {
  let waiting: OpenLogin | undefined

  function off() {
    waiting?.close()
    waiting = undefined
  }

  async function wait(login: OpenLogin) {
    const outcome = await login.outcome(mostMilliseconds)
    if (waiting === login) off()
    if (!outcome) return
    if ('token' in outcome) print(`logged in; the token is ${outcome.token}`)
    else say(loginFailed(outcome.failure).message)
  }

  return {
    off,
    async begin() {
      off()
      const login = await openLogin(openControl(emulator).idp, emulator.projectId)
      waiting = login
      say(`log in at ${login.url}`)
      if (!process.env.CI) await openInBrowser(login.url)
      void wait(login)
    },
  }
}
