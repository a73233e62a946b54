/** A login through the project's identity provider, which a key of `svc dev` begins and the browser ends. */

import { type OpenLogin, openLogin } from '../idp/open-login.js'
import { loginFailed, type Outcome } from '../idp/outcome.js'
import { openControl } from '../target/control.js'
import type { EmulatorInfo } from '../target/emulator-file.js'
import { openInBrowser } from '../terminal/browser.js'

const mostMilliseconds = 300_000

export interface LoginKey {
  /** Opens the provider's page. A login that is still waited for is waited for no longer. */
  begin(): Promise<void>
  off(): void
}

/** `say` receives where to log in and, later, of the token or of what went wrong. */
export function loginKey(emulator: EmulatorInfo, say: (words: string) => void): LoginKey {
  let waiting: OpenLogin | undefined

  function off() {
    waiting?.close()
    waiting = undefined
  }

  async function wait(login: OpenLogin) {
    const outcome = await login.outcome(mostMilliseconds)
    if (waiting === login) off()
    if (outcome) say(outcomeWords(outcome))
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

function outcomeWords(outcome: Outcome): string {
  return 'token' in outcome ? `logged in; the token is ${outcome.token}` : loginFailed(outcome.failure).message
}
