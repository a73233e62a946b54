import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import { expect, it } from 'vitest'
import type { Backend } from '../../../core/context.js'
import { unlimitedRoom } from '../../../core/files/upload-room.js'
import type { HttpContext } from '../../http-context.js'
import type { Incoming } from '../../stages.js'
import { Aborted } from '../read-json.js'
import { readMultipart } from './read-multipart.js'

it('gives up a form whose sender leaves before it is read', async () => {
  const req = new IncomingMessage(new Socket())
  req.headers['content-type'] = 'multipart/form-data; boundary=x'
  req.destroy()
  const files = { project: 'one', mostBytes: 10, mayBeAnyType: true, isHashed: false, room: unlimitedRoom }

  const parts = readMultipart({} as HttpContext, { req } as Incoming, {
    backend: {} as Backend,
    texts: [],
    files,
    maxFiles: 1,
  })

  await expect(parts).rejects.toBeInstanceOf(Aborted)
})
