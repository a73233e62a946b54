import { afterAll, beforeAll, expect, it } from 'vitest'
import { defaultConfig } from '../../../emulator/assembly/config.js'
import { openService, type Service } from '../../../emulator/assembly/open-service.js'
import { createCollection } from '../../../emulator/core/collections/collections.js'
import type { Context } from '../../../emulator/core/context.js'
import { createDocument, removeDocuments } from '../../../emulator/core/documents/door.js'
import { identifyText } from '../../../emulator/core/logins/credentials.js'
import { saveAutomatically } from '../../../emulator/core/snapshots/snapshots.js'
import { finishCommand, undoCommand } from '../../../emulator/core/snapshots/undo.js'
import { unitFor } from '../../../emulator/core/unit-of-work.js'
import type { Database, Sql } from '../../../emulator/database/port.js'

let service: Service
beforeAll(async () => {
  service = await openService({ ...defaultConfig, memory: true })
})
afterAll(() => service.close())

it('contract 13.2 undo takes values again only in the collections that the command changed', async () => {
  const { backend } = service
  const identity = await identifyText(backend, service.secretKey ?? service.apiKey)
  const ctx: Context = { ...identity, ...unitFor(backend) }
  const project = ctx.project.id
  const schema = { slug: { type: 'string', unique: true } } as const
  const [posts, notes] = [
    await createCollection(ctx, { name: 'posts', schema }),
    await createCollection(ctx, { name: 'notes', schema }),
  ]
  const post = await createDocument(ctx, 'posts', { slug: 'a' })
  await createDocument(ctx, 'notes', { slug: 'a' })
  const { name } = await saveAutomatically(backend, project, { command: 'docs delete' })
  await removeDocuments(ctx, 'posts', [post.id])
  await finishCommand(backend, project, name)
  const statements: Sql[] = []

  await undoCommand({ ...backend, db: watched(backend.db, statements) }, project)

  const taking = statements.filter(({ text }) => /unique_values/.test(text))
  const isFor = (id: string) => taking.some(({ values }) => values.includes(id))
  expect({ posts: isFor(posts.id), notes: isFor(notes.id) }).toEqual({ posts: true, notes: false })
  for (const collection of ['posts', 'notes']) {
    await expect(createDocument(ctx, collection, { slug: 'a' })).rejects.toMatchObject({ code: 'DUPLICATE_VALUE' })
  }
})

function watched(db: Database, statements: Sql[]): Database {
  return {
    ...db,
    query(statement) {
      statements.push(statement)
      return db.query(statement)
    },
    transaction: (work) => db.transaction((tx) => work(watched(tx, statements))),
  }
}
