import { find } from './dom'
import { describeError, svc } from './svc'

/** Signs in with a password and, if needed, a code. */
export function openSignIn(place: HTMLElement) {
  const form = find<HTMLFormElement>('#sign-in form')
  const alert = find('#sign-in [role=alert]')
  const code = find('#code')

  // Goes back to the password, because a code expires after five minutes or five wrong attempts.
  find('#back').addEventListener('click', () => {
    code.hidden = true
    alert.textContent = ''
  })

  form.addEventListener('submit', async (event) => {
    event.preventDefault()
    const given = new FormData(form, event.submitter)
    const [email = '', password = '', typed = ''] = ['email', 'password', 'code'].map((name) => String(given.get(name)))
    place.toggleAttribute('inert', true)
    alert.textContent = ''
    try {
      if (!code.hidden) await svc.auth.verifyCode({ email, code: typed })
      else {
        const data = { name: email.split('@')[0] ?? email }
        const isNew = given.get('how') === 'sign up'
        const result = await (isNew ? svc.auth.signUp({ email, password, data }) : svc.auth.logIn({ email, password }))
        code.hidden = !result.requires2fa
      }
    } catch (error) {
      alert.textContent = describeError(error)
    }
    place.toggleAttribute('inert', false)
    if (await svc.auth.session()) {
      form.reset()
      code.hidden = true
    }
  })
}
