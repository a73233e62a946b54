import { httpStatus, SvcError } from '../../../client/protocol/model/errors.js'
import { resetPassword } from '../../core/accounts/password-reset.js'
import { verifyEmail } from '../../core/accounts/verification.js'
import { asSvcError } from '../../core/failures.js'
import { type Html, html } from '../../pages/html.js'
import { form, page } from '../../pages/page.js'
import { formBody } from '../request/body-forms.js'
import { textQuery } from '../request/read-list.js'
import { route } from '../route.js'

const tokenQuery = textQuery('token', 'The token from the email.')

const verifyTitle = 'Verify your email address'
const resetTitle = 'Choose a new password'

const verifyContent = 'Press the button to confirm your email address.'

const passwordField = html`<label for="password">New password</label>
    <input id="password" type="password" name="newPassword" autocomplete="new-password" required minlength="8"
      aria-describedby="rules" autofocus>
    <small id="rules">At least 8 characters, with an uppercase letter, a lowercase letter and a digit.</small>`

/** Pages for the links in mails, for apps without their own. Opening one does not use up the token. Contract 6.8. */
export const mailPageRoutes = [
  route({
    id: 'pages.verifyEmail',
    summary: 'Show a page with a button that verifies an address.',
    method: 'get',
    paths: { any: ['/auth/pages/verify-email', '/verify-email'] },
    needs: 'public',
    query: tokenQuery,
    isFree: true,
    reply: 'html',
    handle: (_backend, { query: token }) =>
      page(verifyTitle, html`<p>${verifyContent}</p>${form({ token, button: 'Verify' })}`),
  }),
  route({
    id: 'pages.verifyEmail.post',
    summary: 'Verify an address from the page.',
    method: 'post',
    paths: { any: ['/auth/pages/verify-email', '/verify-email'] },
    needs: 'public',
    body: formBody(['token']),
    reply: 'html',
    async handle(backend, { body: { token } }) {
      try {
        const { email } = await verifyEmail(backend, token)
        return page('Thank you', html`<p><b>${email}</b> is verified. You can close this page.</p>`)
      } catch (error) {
        return failed(verifyTitle, error)
      }
    },
  }),
  route({
    id: 'pages.resetPassword',
    summary: 'Show a page that asks for a new password.',
    method: 'get',
    paths: { any: ['/auth/pages/reset-password', '/auth-collections/reset-password-page'] },
    needs: 'public',
    query: tokenQuery,
    isFree: true,
    reply: 'html',
    handle: (_backend, { query: token }) => page(resetTitle, passwordForm(token)),
  }),
  route({
    id: 'pages.resetPassword.post',
    summary: 'Set a new password from the page.',
    method: 'post',
    paths: { any: ['/auth/pages/reset-password', '/auth-collections/reset-password-page'] },
    needs: 'public',
    body: formBody(['token', 'newPassword']),
    reply: 'html',
    async handle(backend, { body: { token, newPassword } }) {
      try {
        await resetPassword(backend, { token, newPassword })
        return page(
          'Your password was changed',
          html`<p>You can log in with your new password and close this page.</p>`,
        )
      } catch (error) {
        const mayTryAgain = error instanceof SvcError && error.code === 'VALIDATION_ERROR'
        return failed(resetTitle, error, mayTryAgain ? passwordForm(token) : undefined)
      }
    },
  }),
]

function passwordForm(token: string): Html {
  return form({ token, fields: passwordField, button: 'Change password' })
}

/** Shows an error as a page, with the same status as in the API. */
function failed(title: string, error: unknown, rest?: Html): { html: string; status: number } {
  const known = asSvcError(error)
  if (!known) throw error
  return { html: page(title, html`<p role="alert">${known.message}</p>${rest}`), status: httpStatus(known) }
}
