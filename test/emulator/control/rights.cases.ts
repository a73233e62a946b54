/** Questions about who may do what, compared with real requests. */
import { expect, it } from 'vitest'
import { createClient } from '../../../client/index.js'
import { type RightsAction, rightsActions } from '../../../client/protocol/model/access/rights-actions.js'
import { send } from '../../fixtures/requests/http.js'
import type { Opened } from './opened.js'

const permissions = {
  create: ['member:board.members'],
  read: ['authenticated'],
  update: ['member:board.members', 'editor'],
  delete: ['owner', 'admin'],
}

export function rightsCases(opened: Opened): void {
  async function aBoard() {
    const { control, emulator } = opened
    const { id: project, apiKey, secretKey } = await control.projects.create({})
    const owner = createClient({ url: emulator.url, apiKey: secretKey })
    const aUser = async (name: string, roles: string[] = []) => {
      const email = `${name}@example.com`
      const user = await control.users.create({ project, email, password: 'Correct4Horse', roles })
      return {
        email,
        id: user.id,
        headers: { authorization: `Bearer ${(await control.users.token({ user: user.id })).token}` },
      }
    }
    const [ada, bob, eve] = [await aUser('ada'), await aUser('bob'), await aUser('eve', ['editor', 'admin'])]
    await owner.collections.create({ name: 'boards' })
    await owner.collections.create({ name: 'cards', permissions })
    const board = await owner.collection('boards').create({ members: [ada.id] })
    const aCard = () => owner.collection('cards').create({ title: 'Ship it', board: board.id })
    const { keys } = await control.keys.list({ project })
    const withKey = (secret: boolean) => ({ 'x-api-key': secret ? secretKey : apiKey })
    const callers = [
      { name: 'nobody', headers: {} },
      { name: 'key', headers: withKey(false) },
      ...[ada, bob, eve].map(({ email: name, headers }) => ({ name, headers })),
      { name: 'secret key', headers: withKey(true) },
    ]
    const ask = (question = {}) => control.rights.ask({ project, collection: 'cards', ...question })
    return { project, owner, ada, bob, eve, board, aCard, keys, callers, ask }
  }

  it('contract 13.9 the answers are the statuses that requests get', async () => {
    const { ada, bob, eve, board, aCard, callers, ask } = await aBoard()
    for (const { name, headers } of callers) {
      const { id } = await aCard()
      const { rows } = await ask({ document: id, users: [ada.email, bob.id, eve.email.toUpperCase()] })
      const real: Record<RightsAction, number> = { create: 0, list: 0, get: 0, update: 0, delete: 0 }
      const paths = { create: '', list: '', get: `/${id}`, update: `/${id}`, delete: `/${id}` }
      const methods = { create: 'POST', list: 'GET', get: 'GET', update: 'PATCH', delete: 'DELETE' }
      for (const action of rightsActions) {
        const body = action === 'create' || action === 'update' ? JSON.stringify({ board: board.id }) : undefined
        const path = `/collections/cards${paths[action]}`
        const json: Record<string, string> = body === undefined ? {} : { 'content-type': 'application/json' }
        const answer = await send(opened.emulator.url, {
          ...{ method: methods[action], path, body },
          headers: { ...json, ...headers, 'svc-dialect': 'a' } as Record<string, string>,
        })
        real[action] = answer.status
      }

      const cells = rows.find((row) => row.name === name)?.cells
      expect(
        rightsActions.map((action) => cells?.[action].status),
        name,
      ).toEqual(Object.values(real))
    }
  })

  it('contract 13.9 users with one word each are made up, also for permissions that are not saved', async () => {
    const { owner, aCard, ask } = await aBoard()
    const { id } = await aCard()
    const newest = await aCard()
    const planned = {
      read: ['owner', 'editor'],
      create: ['member:board.members'],
      update: ['member:watchers'],
      delete: ['admin'],
    }

    const saved = await ask()
    const { rows, isSaved, document } = await ask({ permissions: planned, document: id })
    const table = rows.map(({ kind, name, cells }) => [kind, name, ...rightsActions.map((one) => cells[one].status)])

    expect(saved).toMatchObject({ collection: 'cards', document: newest.id, isSaved: true })
    expect([document, isSaved]).toEqual([id, false])
    expect(table).toEqual([
      ['nobody', 'nobody', 401, 401, 401, 401, 401],
      ['key', 'key', 401, 401, 401, 401, 401],
      ['authenticated', 'authenticated', 403, 200, 404, 404, 403],
      ['member', 'member:board.members', 201, 200, 404, 404, 403],
      ['owner', 'owner', 403, 200, 200, 403, 403],
      ['role', 'editor', 403, 200, 200, 403, 403],
      ['member', 'member:watchers', 403, 200, 404, 200, 403],
      ['role', 'admin', 403, 200, 404, 404, 200],
      ['secret key', 'secret key', 201, 200, 200, 200, 200],
    ])
    const reasons = (name: string) =>
      Object.values(rows.find((row) => row.name === name)?.cells ?? {}).map((cell) => cell.reason)
    expect(reasons('editor')[1]).toBe('Has the role "editor".')
    expect(reasons('owner').slice(0, 2)).toEqual([
      'You can create documents in "cards" only if they list you as a member. Needs "member:board.members".',
      'Lists only documents that "owner" covers. This document is among them.',
    ])
    expect(await owner.collection('cards').get(newest.id)).toEqual(newest)
    expect(await owner.collections.get('cards')).toMatchObject({ permissions, documentCount: 2 })
  })

  it('contract 13.9 each key is asked with its scopes, and an empty collection with an empty document', async () => {
    const { project, owner, ask } = await aBoard()
    await opened.control.keys.create({ project, name: 'reader', scopes: ['read:cards'] })
    await owner.collections.update('cards', { permissions: {} })

    const { rows, document } = await ask()

    expect(document).toBeNull()
    const cells = rows.find(({ name }) => name === 'reader')?.cells
    expect(rightsActions.map((action) => cells?.[action].status)).toEqual([403, 200, 200, 403, 403])
    expect(cells?.get.reason).toBe('Open to everyone with a key.')
  })

  it('counts the requests that needed a permission', async () => {
    const { owner, ada } = await aBoard()
    await owner.collections.update('cards', { name: 'counted' })
    const { control, emulator } = opened
    const { token } = await control.users.token({ user: ada.id })
    await fetch(`${emulator.url}/collections/counted`, { headers: { authorization: `Bearer ${token}` } })

    const { permissions: all } = await control.coverage.permissions()
    const counted = all.filter(({ collection }) => collection === 'counted')

    expect(counted.map(({ permission, word, requests }) => [permission, word, requests]).sort()).toEqual(
      Object.entries(permissions)
        .flatMap(([permission, words]) => words.map((word) => [permission, word, permission === 'read' ? 1 : 0]))
        .sort(),
    )
  })

  it('contract 13.9 a question about what does not exist is refused', async () => {
    const { project, ask } = await aBoard()

    await expect(ask({ document: project })).rejects.toMatchObject({ code: 'NOT_FOUND' })
    await expect(ask({ users: ['nobody@example.com'] })).rejects.toMatchObject({ code: 'USER_NOT_FOUND' })
    await expect(ask({ permissions: { read: ['member:a.b.c'] } })).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      issues: [{ path: ['permissions', 'read', 0] }],
    })
    await expect(ask({ permissions: { reed: [] } })).rejects.toMatchObject({ code: 'VALIDATION_ERROR' })
  })
}
