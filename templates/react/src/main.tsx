import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { App } from './app'
import { problemOf } from './attempt'
import './style.css'
import { SvcProvider, svc } from './svc'

// A login through the provider ends on this page; its result is in the address.
const login = await svc.auth.finishLogin().catch((error) => ({ error: problemOf(error) }))

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
