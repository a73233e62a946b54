/** A login through the project's provider that somebody ends in the browser. */
import type { Control } from '../target/control.js'
import { startLogin } from './local-provider.js'
import { openWaitingPage, type WaitingPage } from './waiting-page.js'

export interface OpenLogin extends Pick<WaitingPage, 'outcome' | 'close'> {
  /** Where to log in. */
  readonly url: string
}

/** Nothing is left open if it cannot be begun. */
export async function openLogin(control: Control, project: string): Promise<OpenLogin> {
  const page = await openWaitingPage()
  try {
    return { ...page, url: await startLogin(control, { project, completeUrl: page.url }) }
  } catch (error) {
    page.close()
    throw error
  }
}
