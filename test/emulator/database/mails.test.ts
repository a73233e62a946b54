import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sql } from '../../../emulator/database/port.js'
import {
  deleteMail,
  deleteMails,
  deleteOldMails,
  insertMail,
  type StoredMail,
  selectMails,
} from '../../../emulator/store/accounts/mails.js'
import { engines, type OpenedEngine, openEngine } from '../../fixtures/databases/engines.js'

describe.each(engines)('The mailbox on %s', (engine) => {
  let opened: OpenedEngine
  beforeAll(async () => {
    opened = await openEngine(engine)
    await opened.db.query(sql`insert into projects (id, name, settings, created_at) values ('p', 'P', '{}', now())`)
  })
  afterAll(() => opened.stop())

  it('keeps so many of the newest mails', async () => {
    const { db } = opened
    const ids = Array.from({ length: 10 }, () => randomUUID())
    for (const id of ids) await insertMail(db, mailOf(id), '')

    const deleted = []
    for (let round = 0; round < 3; round++) deleted.push(await deleteOldMails(db, { kept: 4, most: 5 }))

    expect(deleted).toEqual([5, 1, 0])
    expect((await selectMails(db, { limit: 100 })).map(({ id }) => id)).toEqual(ids.slice(6).reverse())
  })

  it('knows what came after a mail, whatever ids say, and after one that was deleted by its id', async () => {
    const { db } = opened
    await deleteMails(db, {})
    const [low = '', middle = '', high = '', top = ''] = Array.from({ length: 4 }, () => randomUUID()).sort()
    for (const id of [low, high, middle]) await insertMail(db, mailOf(id), '')
    const idsAfter = async (id: string) => (await selectMails(db, { after: id, limit: 100 })).map((mail) => mail.id)

    expect(await idsAfter(high)).toEqual([middle])
    expect(await idsAfter(low)).toEqual([middle, high])
    await deleteMail(db, high)
    expect(await idsAfter(high)).toEqual([])
    expect(await idsAfter(low)).toEqual([middle])
    expect(await idsAfter(top)).toEqual([])
  })
})

function mailOf(id: string): StoredMail {
  const mail = { id, project: 'p', to: 'ada@example.com', subject: '', text: '', html: '', refused: null }
  return { ...mail, createdAt: '2030-01-01T00:00:00.000Z' }
}
