/** Rights: keys, permissions of collections, and users. */
import type { ParityCase, Step } from '../case.js'

const users: Step = { method: 'GET', path: '/auth-collections/users?limit=1' }
const documents = '/collections/{fresh}/documents'
const creating = '/collections/documents?collection={fresh}'

/** Actions on a collection, each after a document was made by the owner. */
const actions = {
  read: { method: 'GET', path: documents },
  create: { method: 'POST', path: creating, body: { n: 2 } },
  update: { method: 'PATCH', path: `${documents}/{id}`, body: { n: 3 } },
  delete: { method: 'DELETE', path: `${documents}/{id}` },
} as const satisfies { readonly [action: string]: Step }
type Action = keyof typeof actions

const closedTo = (action: Action, role: string): readonly Step[] => [
  {
    method: 'POST',
    path: '/collections',
    body: { name: '{fresh}', permissions: { [action]: [role] } },
    as: 'owner',
  },
  { method: 'POST', path: creating, body: { n: 1 }, bind: 'id', as: 'owner' },
]

const permissions: readonly ParityCase[] = (['read', 'update', 'delete'] as const).flatMap((action) => [
  {
    id: `rights.${action}-without-user`,
    axis: 'rights',
    needs: ['collections'],
    steps: [...closedTo(action, 'editor'), actions[action]],
    compare: ['status'],
    change: 'Log in before the request, and treat 401 and 403 alike.',
  },
  {
    id: `rights.${action}-without-role`,
    axis: 'rights',
    needs: ['collections', 'users'],
    steps: [...closedTo(action, 'editor'), { ...actions[action], as: 'user' }],
    compare: ['status'],
    change: 'Do not show the action to users without the role.',
  },
])

export const rightsCases: readonly ParityCase[] = [
  {
    id: 'keys.missing',
    axis: 'keys',
    steps: [{ ...users, as: 'nobody' }],
    compare: ['status'],
    change: 'Treat 400, 401 and 422 alike when the key may be missing.',
  },
  {
    id: 'keys.wrong',
    axis: 'keys',
    steps: [{ ...users, as: 'stranger' }],
    compare: ['status'],
    change: 'Treat 400 and 401 alike when the key may be wrong.',
  },
  ...permissions,
  {
    id: 'rights.create-without-user',
    axis: 'rights',
    needs: ['collections'],
    steps: [
      {
        method: 'POST',
        path: '/collections',
        body: { name: '{fresh}', permissions: { create: ['editor'] } },
        as: 'owner',
      },
      actions.create,
    ],
    compare: ['status'],
  },
  ...(['owner', 'authenticated'] as const).map(
    (word): ParityCase => ({
      id: `rights.word-${word}`,
      axis: 'rights',
      needs: ['collections', 'users'],
      steps: [...closedTo('read', word), { ...actions.read, as: 'user' }],
      compare: ['outcome'],
      change: `Use roles. The service may not know the permission word "${word}".`,
    }),
  ),
  {
    id: 'rights.bad-token-beside-key',
    axis: 'rights',
    steps: [{ method: 'GET', path: '/collections/{rows}/documents', headers: { authorization: 'Bearer bad' } }],
    compare: ['status'],
    change: 'Remove the token from requests as soon as it has expired.',
  },
]
