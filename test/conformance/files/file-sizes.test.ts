import { expect, test } from 'vitest'
import { storageLimits } from '../../../client/protocol/model/limits.js'
import { createWithFiles, filesOf, sendForm, upload } from '../../fixtures/files.js'
import { fileOf, textOf } from '../../fixtures/requests/form.js'
import { changeSettings } from '../../fixtures/service.js'
import { aWorld, expectFailure, expectStatus, inDialects, someDocuments } from '../../fixtures/wires.js'

const megabyte = 1024 * 1024
const gigabyte = 1024 * megabyte

test('FIL-06 and FIL-07 each tier has the sizes that the specification gives it', () => {
  const { free, pro, enterprise } = storageLimits

  expect({ free, pro, enterprise }).toEqual({
    free: { file: 10 * megabyte, total: gigabyte },
    pro: { file: 100 * megabyte, total: 100 * gigabyte },
    enterprise: { file: gigabyte, total: null },
  })
})

inDialects(
  'Sizes of files',
  (wire) => {
    test.each([
      ['free', 10],
      ['pro', 100],
    ])('FIL-06 in tier %s a file of %i MB is stored, and one byte more is 413', async (tier, megabytes) => {
      const world = await aWorld(wire, { tier })
      const bytes = Buffer.alloc(megabytes * megabyte + 1, 'x')

      const file = await upload(wire, world.api, fileOf('file', bytes.subarray(1)))
      const answer = await sendForm(world.api, 'POST', '/storage/upload', [fileOf('file', bytes)])

      expect(file.size).toBe(megabytes * megabyte)
      expectFailure(answer, 413, 'FILE_TOO_LARGE')
      expect(JSON.stringify(answer.body)).toContain(`${megabytes} MB`)
      expect(await filesOf(wire, world)).toHaveLength(1)
    })

    test('FIL-06 a file that comes with a document may be 50 MB, in every tier, and not one byte more', async () => {
      const world = await someDocuments(wire)
      const bytes = Buffer.alloc(50 * megabyte + 1, 'x')

      await createWithFiles(wire, world.api, fileOf('cover', bytes.subarray(1)))
      const parts = [fileOf('back'), fileOf('cover', bytes)]
      const answer = await sendForm(world.api, 'POST', '/collections/posts', parts)

      expectFailure(answer, 413, 'FILE_TOO_LARGE')
      expect(await filesOf(wire, world)).toHaveLength(1)
      expect((await world.posts.list()).rows).toHaveLength(1)
      expect(JSON.stringify(answer.body)).toContain('50 MB')
    })

    test('contract 8.4 with documentFiles: tier the figure of the tier holds for documents and users', async () => {
      const world = await someDocuments(wire)
      await changeSettings(world.project, { tier: 'free', documentFiles: 'tier' })
      const bytes = Buffer.alloc(10 * megabyte + 1, 'x')
      const account = textOf('data', JSON.stringify({ email: 'ada@example.com', password: 'Passw0rd' }))

      await createWithFiles(wire, world.api, fileOf('cover', bytes.subarray(1)))
      const refused = [
        await sendForm(world.api, 'POST', '/collections/posts', [fileOf('cover', bytes)]),
        await sendForm(world.api, 'POST', '/auth-collections/signup', [account, fileOf('avatar', bytes)]),
      ]
      await changeSettings(world.project, { tier: 'pro' })
      const taken = await sendForm(world.api, 'POST', '/collections/posts', [fileOf('cover', bytes)])

      for (const answer of refused) {
        expectFailure(answer, 413, 'FILE_TOO_LARGE')
        expect(JSON.stringify(answer.body)).toContain('10 MB')
      }
      expectStatus(201, taken)
    })
  },
  ['a'],
)
