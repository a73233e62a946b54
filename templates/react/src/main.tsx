import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { App } from './app'
import { describeError } from './attempt'
import './style.css'
import { SvcProvider, svc } from './svc'

// Finishes a login through the provider, whose result is in the URL of this page.
const login = await svc.auth.finishLogin().catch((error) => ({ error: describeError(error) }))

const root = document.getElementById('root')
if (root) {
  createRoot(root).render(
    <StrictMode>
      <SvcProvider client={svc}>
        <App loginError={login?.error} />
      </SvcProvider>
    </StrictMode>,
  )
}
