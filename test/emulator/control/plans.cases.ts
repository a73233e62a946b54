/** Effects of a changed schema on stored documents, asked before it is saved. */
import { expect, it } from 'vitest'
import { createClient } from '../../../client/index.js'
import type { Opened } from './opened.js'

export function planCases(opened: Opened): void {
  async function someCards() {
    const { control, emulator } = opened
    const { id: project, secretKey } = await control.projects.create({})
    const owner = createClient({ url: emulator.url, apiKey: secretKey })
    await owner.collections.create({ name: 'boards' })
    await owner.collections.create({
      name: 'cards',
      schema: { title: { type: 'string' }, points: { type: 'integer' } },
    })
    const board = await owner.collection('boards').create({})
    const cards = owner.collection('cards')
    const ids = (
      await cards.createMany([
        { title: 'One', points: 21, slug: 'fix', board: board.id, tag: null },
        { title: 'Two', points: 5, slug: 'fix', board: project },
        { points: 40, slug: 'other', rank: 'high' },
      ])
    ).map(({ id }) => id)
    const plan = (settings: object) => control.schemas.plan({ project, collection: 'cards', ...settings })
    return { owner, cards, ids, plan }
  }

  it('contract 13.2 a plan tells for each change what blocks it, what breaks it and what fits, with a repair', async () => {
    const { owner, ids, plan } = await someCards()
    const [one, two, three] = ids
    const before = await owner.collections.get('cards')

    const { changes, ...rest } = await plan({
      schema: {
        title: { type: 'string', required: true },
        points: { type: 'integer', max: 13, description: 'Effort' },
        slug: { type: 'string', unique: true },
        board: { type: 'link', to: 'boards' },
        rank: { type: 'integer', enum: [1, 2] },
        tag: { type: 'any' },
      },
      unique: [['title', 'slug']],
    })

    expect(rest).toEqual({ collection: 'cards', documentCount: 3 })
    expect(changes.map(({ fields, text, effect, count, repair }) => [...fields, text, effect, count, repair])).toEqual([
      ['title', 'required', 'breaks', 1, ['docs', 'update', 'cards', '--missing', 'title', 'title=value']],
      ['points', 'description Effort', 'fits', 0, null],
      ['points', 'max 13', 'breaks', 2, ['docs', 'update', 'cards', '--where', 'points__gt=13', 'points:=13']],
      ['slug', 'new, string', 'fits', 0, null],
      ['slug', 'unique', 'blocked', 1, ['docs', 'migrate', 'cards', 'migration.ts']],
      ['board', 'new, link', 'breaks', 1, ['docs', 'migrate', 'cards', 'migration.ts']],
      ['rank', 'new, integer', 'breaks', 1, ['docs', 'migrate', 'cards', 'migration.ts']],
      ['tag', 'new, any', 'fits', 0, null],
      ['title', 'slug', 'unique together', 'fits', 0, null],
    ])
    const offendersOf = (field: string) =>
      changes.filter(({ fields }) => fields[0] === field).flatMap((each) => each.documents)
    expect(offendersOf('points')).toEqual([
      { id: one, value: '21', problem: '"points" must be at most 13', holder: null },
      { id: three, value: '40', problem: '"points" must be at most 13', holder: null },
    ])
    expect(offendersOf('slug')).toEqual([
      { id: two, value: '"fix"', problem: `has the same value as "${one}"`, holder: one },
    ])
    expect(offendersOf('board')).toMatchObject([{ id: two, problem: expect.stringContaining('does not exist') }])
    expect(offendersOf('title')).toEqual([{ id: three, value: null, problem: '"title" is required', holder: null }])
    expect(await owner.collections.get('cards')).toEqual(before)
  })

  it('contract 13.1 a plan places contradictions at the change that brings them', async () => {
    const { plan } = await someCards()
    const blockedBy = async (settings: object) =>
      (await plan(settings)).changes.flatMap(({ fields, option, effect, problem }) =>
        effect === 'blocked' ? [[fields.join(), option, problem]] : [],
      )
    const title = { type: 'string' }

    expect(
      await blockedBy({ schema: { title: { ...title, min: 3 }, board: { type: 'link', to: 'nowhere' } } }),
    ).toEqual([
      ['title', 'min', '"schema.title.min" works only with the types "number" and "integer"'],
      ['board', 'type', '"schema.board.to" must be the name of a collection, or "users"'],
    ])
    expect(await blockedBy({ schema: { title }, title: 'points' })).toEqual([
      ['', 'title', expect.stringContaining('must be a field of the schema')],
    ])
    expect(await blockedBy({ unique: [['title', 'gone']] })).toEqual([
      ['title,gone', 'unique', '"unique.0.1" must be a field of the schema'],
    ])
    await expect(plan({ schema: { title: { type: 'text' } } })).rejects.toMatchObject({ code: 'VALIDATION_ERROR' })
  })

  it('contract 13.2 a plan counts all documents and names ten, and a save of what fits goes through', async () => {
    const { owner, cards, plan } = await someCards()
    // More than one page.
    const half = Array.from({ length: 550 }, (_, at) => ({ title: `Card ${at}`, code: at % 2 === 0 ? 1 : at }))
    for (const documents of [half, half]) await cards.createMany(documents)
    const schema = { code: { type: 'integer', required: true } } as const

    const [twice] = (await plan({ schema: { code: { type: 'integer', unique: true } } })).changes.filter(
      ({ option }) => option === 'unique',
    )
    const [missing] = (await plan({ schema })).changes
    const [high] = (await plan({ schema: { code: { type: 'integer', max: 500 } } })).changes
    const loosened = await plan({ schema: {} })

    expect([twice?.effect, twice?.count, twice?.documents.length]).toEqual(['blocked', 825, 10])
    expect([missing?.effect, missing?.count, missing?.documents.length]).toEqual(['breaks', 3, 3])
    expect([high?.effect, high?.count, high?.documents.length]).toEqual(['breaks', 50, 10])
    expect(loosened.changes.map(({ effect }) => effect)).toEqual(['fits', 'fits'])
    await owner.collections.update('cards', { schema: { code: { type: 'integer', required: true, default: 0 } } })
    const removed = await plan({ schema })
    expect(removed.changes.map(({ text, effect, count }) => [text, effect, count])).toEqual([
      ['default removed', 'breaks', 3],
    ])
  })
}
