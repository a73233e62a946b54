import { loginFailures, outcomeNames } from '../../../client/protocol/model/provider-login.js'
import { type Html, html } from '../../pages/html.js'
import { page } from '../../pages/page.js'
import { namedQuery } from '../request/read-list.js'
import { route } from '../route.js'

/** The last step of a login through the built-in provider, unless it leads to a page of an app. Contract 7.2. */
export const loginCompleteRoutes = [
  route({
    id: 'control.loginComplete',
    summary: 'Show the result of a login through a provider.',
    method: 'get',
    paths: { any: ['/_svc/login-complete'] },
    needs: 'nothing',
    query: namedQuery({
      [outcomeNames.token]: 'The token of the user.',
      [outcomeNames.failure]: 'The reason why the login failed.',
    }),
    reply: 'html',
    handle(_backend, { query: { [outcomeNames.token]: token, [outcomeNames.failure]: failure } }) {
      if (token !== undefined) return page('You are logged in', html`${shown(outcomeNames.token, token)}${next}`)
      const reason = loginFailures.find((known) => known === failure)
      if (reason === undefined)
        return page('Nothing here', html`<p>Logins through an identity provider end on this page.</p>`)
      return page('Login failed', html`${shown(outcomeNames.failure, reason)}${next}`)
    },
  }),
]

const next = html`<p><small>Your app receives this at the page set in IDP_COMPLETE_URL.</small></p>`

function shown(name: string, value: string): Html {
  return html`<label>${name}<input readonly value="${value}"></label>`
}
