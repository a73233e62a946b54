/** Starts a login through the project's provider, to complete in the browser. */
import type { Control } from '../../client/control.js'
import { openWaitingPage, type WaitingPage } from './waiting-page.js'

export interface OpenLogin extends Pick<WaitingPage, 'outcome' | 'close'> {
  /** The login page. */
  readonly url: string
}

/** Closes the waiting page if the login cannot start. */
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
