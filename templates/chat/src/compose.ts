import { find } from './dom'

/** Handles the text input and the attached file until the signal aborts. */
export function openCompose(signal: AbortSignal, send: (text: string, file: File | undefined) => void) {
  const form = find<HTMLFormElement>('#compose')
  const attached = find('#attached')

  const chosen = () => {
    const file = new FormData(form).get('file')
    return file instanceof File && file.name !== '' ? file : undefined
  }
  const showChosen = () => {
    attached.textContent = chosen()?.name ?? ''
  }

  form.addEventListener('change', showChosen, { signal })
  form.addEventListener(
    'submit',
    (event) => {
      event.preventDefault()
      const text = String(new FormData(form).get('text')).trim()
      const file = chosen()
      if (text === '' && !file) return
      send(text, file)
      form.reset()
      showChosen()
    },
    { signal },
  )
}
