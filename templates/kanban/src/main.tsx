import { createRoot } from 'react-dom/client'
import { App } from './app'
import './style.css'
import { SvcProvider, svc } from './svc'

createRoot(document.getElementById('root') ?? document.body).render(
  <SvcProvider client={svc}>
    <App />
  </SvcProvider>,
)
