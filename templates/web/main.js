import { createClient, SvcError } from 'svc-toolkit-client'
import { settings } from '/settings.js'

const svc = createClient(settings)
const notes = svc.collection('notes')
const [form, list, alert] = ['form', 'ul', '[role=alert]'].map((selector) => document.querySelector(selector))

form.addEventListener('submit', (event) => {
  event.preventDefault()
  attempt(async () => {
    await notes.create({ text: new FormData(form).get('text') })
    form.reset()
    await show()
  })
})

attempt(async () => {
  await svc.collections.create({ name: 'notes' }).catch((error) => {
    if (!(error instanceof SvcError && error.code === 'COLLECTION_EXISTS')) throw error
  })
  await show()
})

async function show() {
  const { items } = await notes.list({ limit: 50 })
  list.replaceChildren(...items.map(toItem))
}

function toItem({ id, data }) {
  const item = document.createElement('li')
  const button = document.createElement('button')
  button.type = 'button'
  button.textContent = 'Delete'
  button.addEventListener('click', () => attempt(() => notes.delete(id).then(show)))
  item.append(data.text, button)
  return item
}

async function attempt(work) {
  alert.textContent = ''
  await work().catch((error) => {
    alert.textContent = error.message + (error.code === 'NETWORK' ? ' Start it: npx svc dev' : '')
  })
}
