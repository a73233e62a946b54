/** Cases about saving, loading and seeding. */
import { expect, it } from 'vitest'
import type { Opened } from './opened.js'

export function stateCases(opened: Opened): void {
  it('snapshots', async () => {
    const { control } = opened
    const { id: project } = await control.projects.create({})

    const saved = await control.snapshots.save({ project, name: 'empty', branch: 'main' })
    const shown = await control.snapshots.get({ project, snapshot: 'empty' })
    const { snapshots } = await control.snapshots.list({ project })
    const { isSame } = await control.snapshots.diff({ project, snapshot: 'empty' })
    const loaded = await control.snapshots.load({ project, snapshot: 'empty' })
    const removed = await control.snapshots.remove({ project, snapshot: 'empty' })
    const { name } = await control.snapshots.save({ project, automatic: true, command: 'seed' })
    await control.projects.update({ project, settings: { tier: 'free' } })
    const { isKept } = await control.snapshots.finish({ project, snapshot: name })
    const undone = await control.snapshots.undo({ project })

    expect([shown, ...snapshots, removed]).toEqual([saved, saved, saved])
    expect(loaded).toEqual({ ...saved, lacking: [] })
    expect([isSame, isKept]).toEqual([true, true])
    expect(undone).toMatchObject({ command: 'seed', snapshot: name })
  })

  it('seeds, which come as a form', async () => {
    const { control } = opened
    const { id: project } = await control.projects.create()
    const steps = [
      { step: 'file', name: 'cover', part: 'file cover', path: '' },
      { step: 'user', name: 'ada', email: 'ada@example.com', data: { cover: `\${files.cover.url}` } },
      { step: 'collection', name: 'posts', isAnswered: true },
      { step: 'documents', documents: [{ name: 'hello', data: { by: `\${users.ada.id}` }, hasReferences: true }] },
    ]
    const form = new FormData()
    form.set('mode', 'upsert')
    form.set('steps', new Blob(steps.map((step) => `${JSON.stringify(step)}\n`)), 'steps.ndjson')
    form.set('file cover', new Blob(['a cover']), 'cover.txt')

    const seeded = await control.seeds.apply({ project, form })
    const held = await control.seeds.get({ project })

    const created = { created: 1, updated: 0, kept: 0 }
    const ids = [['hello', expect.any(String)]]
    expect(seeded).toEqual({ users: created, files: created, collections: [{ name: 'posts', ...created, ids }] })
    expect(held).toMatchObject({
      users: [{ email: 'ada@example.com', passwordHash: null }],
      files: [{ name: 'cover.txt' }],
    })
  })
}
