/** Previews of deletions: they count the documents that link to the deleted ones, and change nothing. */
import { expect, it } from 'vitest'
import { createClient } from '../../../client/index.js'
import type { Opened } from './opened.js'

export function dependantsCases(opened: Opened): void {
  it('contract 13.3 a preview counts what a deletion takes along, and changes nothing', async () => {
    const { control, emulator } = opened
    const { id: project, secretKey } = await control.projects.create({})
    const owner = createClient({ url: emulator.url, apiKey: secretKey })
    await owner.collections.create({ name: 'boards' })
    await owner.collections.create({
      name: 'cards',
      schema: {
        board: { type: 'link', to: 'boards', onDelete: 'delete' },
        user: { type: 'link', to: 'users', onDelete: 'unset' },
        parent: { type: 'link', to: 'cards', onDelete: 'refuse' },
      },
    })
    const user = await control.users.create({ project, email: 'ada@example.com' })
    const board = await owner.collection('boards').create({})
    const card = await owner.collection('cards').create({ board: board.id, user: user.id })
    const other = await owner.collection('cards').create({ user: user.id, parent: card.id })
    const preview = (to: string, ids?: string[]) =>
      control.dependants.preview({ project, to, ids }).then(({ collections }) => collections)

    const refused = await preview('cards', [card.id]).catch((error: unknown) => error)
    const alone = await preview('cards', [other.id])
    const both = await preview('cards', [card.id, other.id])
    const users = await preview('users', [user.id, 'unknown'])
    await owner.collection('cards').delete(other.id)
    const boards = await preview('boards', [board.id])
    const collections = await Promise.all([preview('boards'), preview('cards')])
    const missing = await preview('nowhere', []).catch((error: unknown) => error)

    expect(refused).toMatchObject({ code: 'DOCUMENT_IN_USE' })
    expect([alone, both]).toEqual([[], []])
    expect(users).toEqual([{ collection: 'cards', deleted: 0, changed: 2, left: 0 }])
    expect(boards).toEqual([{ collection: 'cards', deleted: 1, changed: 0, left: 0 }])
    expect(collections).toEqual([[{ collection: 'cards', deleted: 0, changed: 0, left: 1 }], []])
    expect(missing).toMatchObject({ code: 'NOT_FOUND' })
    expect(await owner.collection('cards').get(card.id)).toMatchObject({ version: 1 })
  })
}
