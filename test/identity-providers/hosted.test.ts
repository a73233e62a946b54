import { expect, test } from 'vitest'
import { defaultSettings } from '../../client/protocol/model/project.js'
import { readCompleteUrl, readProvider } from '../../emulator/core/providers/provider-settings.js'
import { aBackend } from '../fixtures/stand-ins.js'

// Without a built-in provider, nothing replaces one that is not configured.

const backend = aBackend({ url: () => 'https://svc.example' })

function scope(idp: Record<string, string> = {}) {
  return { backend, project: { id: 'p', name: 'p', settings: { ...defaultSettings, idp } } }
}

test('IDP-02 a hosted service without settings names all that is missing', () => {
  const all = ['CLIENT_ID', 'CLIENT_SECRET', 'REDIRECT_URL', 'COMPLETE_URL', 'ISSUER']
  const message = all.map((key) => `IDP_${key} is not set.`).join(' ')

  expect(() => readProvider(scope(), 'idp')).toThrow(message)
  expect(() => readCompleteUrl(scope(), 'idp')).toThrow(message)
  expect(() => readProvider(scope({ IDP_CLIENT_ID: ' ' }), 'google', ['CLIENT_ID'])).toThrow(/^IDP_GOOGLE_CLIENT_ID is/)
})

test('contract 7.2 the routes of the built-in provider belong to the control API', async () => {
  const { controlRoutes } = await import('../../emulator/http/profiles/emulator-routes.js')
  const { routes } = await import('../../emulator/http/routes/index.js')
  const paths = (list: typeof routes) => list.flatMap(({ paths }) => Object.values(paths).flat())

  expect(paths(routes).filter((path) => path.startsWith('/_svc'))).toEqual([])
  expect(paths(controlRoutes)).toEqual(expect.arrayContaining(['/_svc/api/idp/accounts', '/_svc/login-complete']))
})
