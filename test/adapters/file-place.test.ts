import { expect, test } from 'vitest'
import { openFileStore } from '../../emulator/ports/files/open-file-store.js'

test('a store in memory has no need of a place of its own, which the database would have to be asked for', async () => {
  const place = () => expect.fail('asked for')

  const files = await openFileStore({ url: undefined, folder: undefined, place, isSynced: false })

  await files.close()
})
