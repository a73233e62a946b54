import './style/tokens.css'
import './style/base.css'
import './style/parts.css'
import './style/controls.css'
import './style/frame.css'
import './style/pages.css'
import './style/api.css'
import './style/relations.css'
import './style/console.css'
import './style/flows.css'
import './style/form.css'
import './style/collection.css'
import './style/parity.css'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { App } from './app.js'
import { preference } from './parts/preference.js'

document.documentElement.dataset.theme = preference('theme') ?? 'system'
const root = document.getElementById('root')
if (root) {
  createRoot(root).render(
    <StrictMode>
      <App />
    </StrictMode>,
  )
}
