/** A login through the project's provider that is completed in the browser. */
import type { Control } from '../../client/control.js'
import { openWaitingPage, type WaitingPage } from './waiting-page.js'

export interface OpenLogin extends Pick<WaitingPage, 'outcome' | 'close'> {
  /** Where to log in. */
  readonly url: string
}

/** Nothing is left open if it cannot be begun. */
export async function openLogin(idp: Control['idp'], project: string): Promise<OpenLogin> {
  const page = await openWaitingPage()
  try {
    const { url } = await idp.logins.start({ project, completeUrl: page.url })
    return { ...page, url }
  } catch (error) {
    page.close()
    throw error
  }
}
