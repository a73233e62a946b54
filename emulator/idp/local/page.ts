/** Renders the page on which a person chooses an account. It runs no script and escapes all values. */

import type { StandingFault } from '../../../client/protocol/model/provider-login.js'
import { type ProviderAccount, providerFaults } from '../../../client/protocol/model/provider-login.js'
import { Html, html } from '../../pages/html.js'
import { shell } from '../../pages/shell.js'
import type { LoginRequest } from './authorize.js'
import type { OAuthError, ProviderAnswer } from './exchange.js'
import { pageHeaders, style } from './page-style.js'

export interface PageState {
  readonly request: LoginRequest
  /** The query of the request, passed on by each form. */
  readonly query: string
  /** The address that the forms post below. */
  readonly action: string
  readonly accounts: readonly ProviderAccount[]
  /** The fault that the next login will meet. */
  readonly standing: StandingFault | undefined
  /** The reason why the last form was refused. */
  readonly problem?: string
}

export function accountPage(state: PageState): ProviderAnswer {
  const { request, problem, standing } = state
  const content = html`
    <h1>Log in</h1>
    <p>to <code>${request.client}</code>, using the built-in provider of svc</p>
    ${problem === undefined ? undefined : html`<p class="notice" role="alert">${problem}</p>`}
    ${standing && standingNotice(state, standing)}
    ${loginForm(state)}
    <details><summary>Add an account</summary>${accountForm(state)}</details>
    <details><summary>Edit accounts</summary>
      ${state.accounts.map(
        (account) =>
          html`<details><summary>${account.name || account.id}</summary>${accountForm(state, account)}</details>`,
      )}
    </details>`
  return {
    status: problem === undefined ? 200 : 422,
    headers: pageHeaders,
    body: shell({ title: 'Log in', style, content }),
  }
}

export function refusalPage({ description, status }: OAuthError): ProviderAnswer {
  const content = html`<h1>Something went wrong</h1><p role="alert">${description}</p>`
  return { status, headers: pageHeaders, body: shell({ title: 'Something went wrong', style, content }) }
}

function loginForm({ action, query, request, accounts }: PageState): Html {
  const first = accounts.filter((account) => matchesHint(account, request.hint))
  const rest = accounts.filter((account) => !first.includes(account))
  return html`<form method="post" action="${action}/authorize?${query}">
      <ul class="accounts">
        ${[...first, ...rest].map((account) => html`<li>${accountButton(account)}</li>`)}
      </ul>
      <fieldset>
        <label>The provider
          <select name="fault">
            <option value="">works normally</option>
            ${Object.entries(providerFaults).map(([name, { says }]) => html`<option value="${name}">${says}</option>`)}
          </select>
        </label>
        <label class="check"><input type="checkbox" name="keep"> every time, until switched off</label>
        <button class="plain wide" name="cancel" value="yes">Cancel the login</button>
      </fieldset>
    </form>`
}

function accountButton({ id, name, email, emailVerified }: ProviderAccount): Html {
  const address = email === null ? 'no email' : emailVerified ? email : `${email}, not verified`
  return html`<button class="account" name="account" value="${id}">
            <i aria-hidden="true">${initials(name || id)}</i>
            <span><b>${name || id}</b><small>${address}</small></span>
          </button>`
}

function accountForm({ action, query }: PageState, account?: ProviderAccount): Html {
  const { id = '', name = '', email = '', emailVerified = true, claims = {} } = account ?? {}
  const buttons = account
    ? html`<button class="act" name="change" value="save">Save</button>
        <button class="plain" name="change" value="remove">Remove</button>`
    : html`<button class="act" name="change" value="add">Add</button>`
  return html`<form method="post" action="${action}/accounts?${query}">
      <input type="hidden" name="id" value="${id}">
      <label>Name <input name="name" value="${name}" autocomplete="off"></label>
      <label>Email <input name="email" type="email" value="${email ?? ''}" autocomplete="off"></label>
      <label class="check">
        <input type="checkbox" name="verified" ${new Html(emailVerified ? 'checked' : '')}> the email is verified
      </label>
      <label>More claims
        <textarea name="claims" rows="3" spellcheck="false">${JSON.stringify(claims, null, 2)}</textarea>
      </label>
      <div class="row">${buttons}</div>
    </form>`
}

function standingNotice({ action, query }: PageState, { fault, times }: StandingFault): Html {
  const often =
    times === null ? 'Until switched off' : times === 1 ? 'In the next login' : `In the next ${times} logins`
  return html`<div class="notice">
      ${often}, the provider ${providerFaults[fault].says}.
      <form method="post" action="${action}/accounts?${query}">
        <button class="plain" name="change" value="works">Switch off</button>
      </form>
    </div>`
}

function matchesHint({ id, email }: ProviderAccount, hint: string | undefined): boolean {
  return hint !== undefined && (hint === id || hint.toLowerCase() === email?.toLowerCase())
}

function initials(name: string): string {
  const [first = '', ...rest] = name.split(/\s+/)
  return [first, rest.at(-1) ?? '']
    .map((word) => [...word][0] ?? '')
    .join('')
    .toUpperCase()
}
