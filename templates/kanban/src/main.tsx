import { createRoot } from 'react-dom/client'
import { App } from './app'
import './style.css'
import { SvcProvider, svc } from './svc'

const root = document.getElementById('root')
if (root) {
  createRoot(root).render(
    <SvcProvider client={svc}>
      <App />
    </SvcProvider>,
  )
}
