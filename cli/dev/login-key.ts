/** A login through the project's identity provider, which a key of `svc dev` begins and the browser ends. */
import { openInBrowser } from '../browser.js'
import { openControl } from '../control.js'
import type { EmulatorInfo } from '../emulator-file.js'
import { startLogin } from '../idp/local-provider.js'
import { loginFailed, type Outcome } from '../idp/outcome.js'
import { openWaitingPage, type WaitingPage } from '../idp/waiting-page.js'

const mostMilliseconds = 300_000

export interface LoginKey {
  /** Opens the provider's page. A login that is still waited for is waited for no longer. */
  begin(): Promise<void>
  off(): void
}

/** `say` hears where to log in and, later, of the token or of what went wrong. */
export function loginKey(emulator: EmulatorInfo, say: (words: string) => void): LoginKey {
  let waiting: WaitingPage | undefined

  function off() {
    waiting?.close()
    waiting = undefined
  }

  async function wait(page: WaitingPage) {
    const outcome = await page.outcome(mostMilliseconds)
    if (waiting === page) off()
    if (outcome) say(outcomeWords(outcome))
  }

  return {
    off,
    async begin() {
      off()
      const page = await openWaitingPage()
      waiting = page
      try {
        const url = await startLogin(openControl(emulator), { project: emulator.projectId, completeUrl: page.url })
        say(`log in at ${url}`)
        if (!process.env.CI) await openInBrowser(url)
      } catch (error) {
        off()
        throw error
      }
      void wait(page)
    },
  }
}

function outcomeWords(outcome: Outcome): string {
  return 'token' in outcome ? `logged in; the token is ${outcome.token}` : loginFailed(outcome.failure).message
}
